import type { Session } from './session.ts'
import type { Target } from './settings.ts'

/** Whom a command talks to, for the eyes of others: an address with a secret in it is refused, not shown. */
export async function shownTarget(session: Session): Promise<Target> {
  const target = session.target()
  if (target.kind === 'bucket') await checkBucketAddress(target.address)
  return target
}

/** Loaded only when needed: it brings the schema library along. */
export async function checkBucketAddress(address: string): Promise<void> {
  const { parseBucketUrl } = await import('../../bucket/index.ts')
  parseBucketUrl(address)
}
