import { openS3Bucket } from '../../src/bucket/adapters/s3/bucket.ts'
import { withAbilities } from '../../src/bucket/abilities.ts'
import type { S3Peer } from '../peers/s3.ts'
import { givenS3 } from '../peers/s3.ts'
import { startMiniflare } from '../peers/miniflare.ts'
import { findOrBuild } from '../peers/toolchain.ts'
import { startVersitygw } from '../peers/versitygw.ts'
import { bucketContract } from './bucket.ts'
import type { OpenedBucket } from './bucket.ts'

function openAt(peer: S3Peer, conditionalDelete: boolean): OpenedBucket {
  const open = () => {
    const { bucket, endpoint, region, env } = peer
    const opened = openS3Bucket({ bucket, endpoint, region, env, prefix: 'contract test/ü+%' })
    return withAbilities(opened, { ...opened.can, conditionalDelete })
  }
  return { bucket: open(), reopen: () => Promise.resolve(open()), dispose: () => peer.dispose() }
}

bucketContract('s3 at miniflare', {
  isLeftOut: (await findOrBuild('miniflare')) === undefined,
  open: async () => openAt(await startMiniflare(), false),
  skips: { conditionalDelete: 'miniflare ignores the condition on a delete' },
})

bucketContract('s3 at versitygw', {
  isLeftOut: (await findOrBuild('versitygw')) === undefined,
  async open() {
    const peer = await startVersitygw()
    if (peer === undefined) throw new Error('versitygw was there a moment ago')
    return openAt(peer, true)
  },
  skips: {
    keyUnderKey: 'versitygw keeps objects as files, and a file cannot be a folder too',
    absentDelete: 'as at AWS, a delete of nothing is a success',
    conditionalDelete:
      'versitygw looks at the condition of a delete outside its lock, so a racing write may be lost',
  },
})

const given = givenS3()
bucketContract('s3 at TACO_TEST_S3_URL', {
  isLeftOut: given === undefined,
  open: () =>
    given === undefined
      ? Promise.reject(new Error('no server is given'))
      : Promise.resolve(openAt(given, false)),
  skips: { conditionalDelete: 'not known of this server' },
})
