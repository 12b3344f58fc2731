import { expect, test } from 'vitest'
import { callerNamed } from '../../test/support/caller.ts'
import { silentJournal } from '../../test/support/journal.ts'
import { createPeople, createRunTokens, principalOf, systemCaller } from '../access/index.ts'
import { systemClock } from '../base/clock.ts'
import { randomIds } from '../base/ids.ts'
import { openMemoryBucket } from '../bucket/adapters/memory.ts'
import { ofActivePeople } from './guard.ts'

const scope = { org: 'default', unit: { id: 'ws-1', name: 'prod/app' } }
const ttlMs = 60_000

test('suspending a person ends the run tokens that they were issued, and no others', async () => {
  const deps = { bucket: openMemoryBucket(), clock: systemClock, ids: randomIds }
  const people = createPeople({ ...deps, journal: silentJournal().journal })
  const runTokens = createRunTokens(deps)
  const system = systemCaller('opentaco')
  const person = await people.signIn({ provider: 'okta', subject: '1', login: 'alice', groups: [] }, system)
  const principal = principalOf(person, { kind: 'session', id: 's1' })
  if (principal === undefined) throw new Error('suspended')
  const own = await runTokens.issue(scope, { ttlMs }, { principal })
  const roots = await runTokens.issue(
    scope,
    { ttlMs },
    { principal: { kind: 'token', use: 'root', name: 'root' } },
  )
  const guarded = ofActivePeople(runTokens, people)

  expect(await guarded.check(own.token)).toMatchObject({ kind: 'run' })
  await people.setSuspended(person.id, true, callerNamed('boss'))

  expect(await guarded.check(own.token)).toBe('unknown')
  expect(await guarded.check(roots.token)).toMatchObject({ kind: 'run' })
})
