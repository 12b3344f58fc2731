import { openGcsBucket } from '../../src/bucket/adapters/gcs/bucket.ts'
import { startGcs } from '../peers/gcs.ts'
import { findOrBuild } from '../peers/toolchain.ts'
import { bucketContract } from './bucket.ts'

bucketContract('gcs at fake-gcs-server', {
  isLeftOut: (await findOrBuild('fake-gcs-server')) === undefined,
  async open() {
    const peer = await startGcs()
    if (peer === undefined) throw new Error('fake-gcs-server was there a moment ago')
    const open = () => openGcsBucket({ bucket: peer.bucket, env: peer.env, prefix: 'contract test/ü+%' })
    return { bucket: await open(), reopen: open, dispose: () => peer.dispose() }
  },
  skips: {
    conditionalDelete: 'fake-gcs-server ignores the condition on a delete',
    keyUnderKey: 'fake-gcs-server keeps objects as files, and a file cannot be a folder too',
  },
})
