import { openAzureBucket } from '../../src/bucket/adapters/azure/bucket.ts'
import { startAzurite } from '../peers/azurite.ts'
import { bucketContract } from './bucket.ts'

bucketContract('azure at azurite', {
  async open() {
    const peer = await startAzurite()
    const open = () =>
      openAzureBucket({ container: peer.container, env: peer.env, prefix: 'contract test/ü+%' })
    return { bucket: await open(), reopen: open, dispose: () => peer.dispose() }
  },
  skips: {
    backslash: 'Azure takes a backslash for a slash, so the adapter refuses it',
    supplementaryOrder: 'azurite sorts by UTF-16',
  },
})
