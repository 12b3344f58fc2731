import { expect, test } from 'vitest'
import { TacoError } from '../../base/errors.ts'
import type { UnitDocument } from '../documents/model.ts'
import { decideWrite } from './decide.ts'

const facts = {
  serial: 6,
  lineage: 'L',
  encrypted: false,
  terraformVersion: undefined,
  resources: 1,
  dataResources: 0,
  outputs: [],
}

interface Current {
  serial?: number
  lineage?: string
  encrypted?: boolean
  unreadable?: boolean
  tag?: string | null
  allowDecrypt?: boolean
  highest?: number
  missing?: boolean
}

function unit(current: Current | null): UnitDocument {
  const head =
    current === null
      ? null
      : {
          tag: current.tag === undefined ? 'tag' : current.tag,
          version: { hash: 'old', serial: 5, lineage: 'L', encrypted: false, ...current },
        }
  return {
    name: 'u',
    key: 'k',
    allowDecrypt: current?.allowDecrypt ?? false,
    head,
    ...(current?.missing === true ? { missing: { at: 1 } } : {}),
    serials: { highest: current?.highest ?? 0, seq: 1 },
    write: null,
  } as unknown as UnitDocument
}

test.each<[string, Current | null, object, string]>([
  ['the first state', null, {}, 'write'],
  ['the next serial', {}, {}, 'write'],
  ['a much later serial', { serial: 1 }, {}, 'write'],
  ['the very bytes that are there', { serial: 6 }, { hash: 'old' }, 'same'],
  ['the same serial with other bytes', { serial: 6 }, {}, 'STATE_SAME_SERIAL'],
  ['an older serial', { serial: 9 }, {}, 'STATE_SERIAL'],
  ['another lineage', { lineage: 'M' }, {}, 'STATE_LINEAGE'],
  ['another lineage by force', { lineage: 'M' }, { force: true }, 'write'],
  ['an older serial by force', { serial: 9 }, { force: true }, 'STATE_SERIAL'],
  ['an older serial by force, as it is', { serial: 9 }, { force: true, keepSerial: true }, 'write'],
  ['a higher serial by force, below one of the history', { highest: 9 }, { force: true }, 'STATE_SERIAL'],
  ['an older state of the lineage that was deleted', { tag: null, serial: 9 }, {}, 'STATE_SERIAL'],
  ['the very state that was deleted', { tag: null, serial: 6 }, { hash: 'old' }, 'write'],
  ['a plain state over an encrypted one', { encrypted: true }, {}, 'STATE_WOULD_DECRYPT'],
  [
    'a plain state over an encrypted one, by force',
    { encrypted: true },
    { force: true },
    'STATE_WOULD_DECRYPT',
  ],
  [
    'a plain state over an encrypted one where the unit allows it',
    { encrypted: true, allowDecrypt: true },
    {},
    'write',
  ],
  ['anything after the state was deleted', { tag: null, lineage: 'M', serial: 9 }, {}, 'write'],
  ['another lineage over a missing state', { tag: null, missing: true, lineage: 'M' }, {}, 'STATE_MISSING'],
  ['the next serial over a missing state', { tag: null, missing: true }, {}, 'write'],
  [
    'anything over a missing state, by force',
    { tag: null, missing: true, lineage: 'M' },
    { force: true },
    'write',
  ],
  ['the highest serial of the history, by force', { highest: 6 }, { force: true }, 'STATE_SERIAL'],
  ['a state over something that is none', { unreadable: true }, {}, 'STATE_FORMAT'],
  ['a state over something that is none, by force', { unreadable: true }, { force: true }, 'write'],
])('%s', (_name, current, change, expected) => {
  const decision = decideWrite(unit(current), {
    facts,
    hash: 'new',
    force: false,
    keepSerial: false,
    ...change,
  })

  expect(decision instanceof TacoError ? decision.code : decision).toBe(expected)
})
