import { expect, test } from 'vitest'
import { callerNamed } from '../../test/support/caller.ts'
import { authorOf, systemCaller } from './caller.ts'
import {
  type Principal,
  openServerUser,
  principalText,
  readAuthor,
  rootToken,
  stranger,
} from './principal.ts'

const run: Principal = {
  kind: 'run',
  id: 'r1',
  scope: { org: 'acme', unit: { id: null, name: 'a' } },
  issuedTo: { by: 'token:root', who: 'alice@laptop' },
}

test.each<[Principal, string]>([
  [callerNamed('alice').principal, 'user:alice'],
  [
    { kind: 'team', id: 'team-1', name: 'ops', org: 'acme', via: { kind: 'session', id: 's1' } },
    'team:acme/ops',
  ],
  [rootToken, 'token:root'],
  [run, 'run:r1'],
  [systemCaller('opentaco').principal, 'system:opentaco'],
  [openServerUser, 'anonymous'],
  [stranger, 'anonymous'],
])('%o is written as %s', (principal, text) => {
  expect(principalText(principal)).toBe(text)
})

test.each<[Principal, string | undefined, object]>([
  [rootToken, undefined, { by: 'token:root' }],
  [rootToken, 'bob@ci', { by: 'token:root', who: 'bob@ci' }],
  [openServerUser, '', { by: 'anonymous' }],
  [run, undefined, { by: 'token:root', who: 'alice@laptop' }],
  [run, 'bob@ci', { by: 'token:root', who: 'bob@ci' }],
])('%o that claims to be %s is credited as %o', (principal, claim, author) => {
  expect(authorOf({ principal, claim })).toEqual(author)
})

test.each([
  [{ by: 'root' }, { by: 'token:root' }],
  [
    { by: 'root', who: 'alice@laptop' },
    { by: 'token:root', who: 'alice@laptop' },
  ],
  [{ by: 'anonymous' }, { by: 'anonymous' }],
  [{ by: 'opentaco' }, { by: 'system:opentaco' }],
  [{ by: 'taco' }, { by: 'system:upkeep' }],
  [{ by: 'nobody' }, { by: 'system:rollouts' }],
  [{ by: 'outside' }, { by: 'system:outside' }],
  [{ by: 'alice@laptop' }, { by: 'anonymous', who: 'alice@laptop' }],
  [
    { by: 'alice@laptop', who: 'alice@other' },
    { by: 'anonymous', who: 'alice@other' },
  ],
  [{ by: 'user:alice' }, { by: 'user:alice' }],
  [{ by: 'agent:7' }, { by: 'agent:7' }],
])('a stored %o is shown as %o', (stored, shown) => {
  expect(readAuthor(stored)).toEqual(shown)
})
