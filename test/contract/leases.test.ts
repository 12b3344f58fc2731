import { openAzureBucket } from '../../src/bucket/adapters/azure/bucket.ts'
import { openGate, openScheduledBucket } from '../chaos/checker/scheduled-bucket.ts'
import { createStore } from '../chaos/checker/store.ts'
import { startAzurite } from '../peers/azurite.ts'
import { leasesContract } from './leases.ts'

leasesContract('azure at azurite', async () => {
  const peer = await startAzurite()
  const bucket = await openAzureBucket({ container: peer.container, env: peer.env, prefix: 'leases ü' })
  return { bucket, dispose: () => peer.dispose() }
})

leasesContract('the model of a store in test/chaos', () => {
  const store = createStore({ contentHashTags: false, conditionalDelete: true, leases: true })
  return Promise.resolve({ bucket: openScheduledBucket(store, openGate), dispose: () => Promise.resolve() })
})
