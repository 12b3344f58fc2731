import type { Session } from '../session.ts'
import type { Target } from './settings.ts'
import type { World } from '../world.ts'

/** Whom a command talks to, for the eyes of others: an address with a secret in it is refused, not shown. */
export async function shownTarget(session: Session): Promise<Target> {
  const target = session.target()
  if (target.kind === 'bucket') await checkBucketAddress(session.world, target.address)
  return target
}

export async function checkBucketAddress(world: World, address: string): Promise<void> {
  const { parseBucketUrl } = await world.parsers()
  parseBucketUrl(address)
}
