import { generateKeySync } from 'node:crypto'
import { type TokenOwners, createTokens } from '../../src/access/index.ts'
import { createKeyRing } from '../../src/access/secrets/key-ring.ts'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { randomIds } from '../../src/base/ids.ts'
import { silentLog } from '../../src/base/log.ts'
import { openMemoryBucket } from '../../src/bucket/adapters/memory.ts'
import type { Bucket } from '../../src/bucket/index.ts'
import { silentJournal } from './journal.ts'

export const testKey = (id: string) => ({ id, key: generateKeySync('hmac', { length: 256 }) })

/** What several servers over one bucket have, at a time that the test moves. */
export function tokenFleet(bucket: Bucket = openMemoryBucket()) {
  let ahead = 0
  const clock: Clock = { ...systemClock, now: () => Date.now() + ahead }
  const keys = [testKey('k1')]
  const gone = new Set<string>()
  const { journal, events } = silentJournal()
  const owners: TokenOwners = {
    user: (id, via) =>
      gone.has(id) ? undefined : { kind: 'user', id, name: 'alice', groups: ['okta/ops'], via },
    team: async ({ org, id }, via) =>
      gone.has(id) ? undefined : { kind: 'team', id, name: 'ops', org, via },
  }
  const server = () =>
    createTokens({
      bucket,
      clock,
      ids: randomIds,
      log: silentLog,
      ring: createKeyRing(keys),
      owners,
      journal,
    })
  return { bucket, server, keys, gone, events, clock, pass: (ms: number) => (ahead += ms), now: clock.now }
}
