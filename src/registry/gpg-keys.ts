import { z } from 'zod'
import type { Caller } from '../access/index.ts'
import { TacoError, badRequest } from '../base/errors.ts'
import { type RecordDeps, type RecordOf, createRecords } from '../records/index.ts'
import { keyIdsOf } from './open-pgp.ts'

const shape = {
  keyId: z.string(),
  asciiArmor: z.string(),
  trustSignature: z.string(),
  source: z.string(),
  sourceUrl: z.string().nullable(),
}
export type GpgKey = RecordOf<typeof shape>

/** Public keys that sign providers. The namespace of a key is its organization. */
export interface GpgKeys {
  list(org: string): Promise<readonly GpgKey[]>
  /** By key id. NOT_FOUND if there is none. */
  get(org: string, keyId: string): Promise<GpgKey>
  add(org: string, asciiArmor: string, caller: Caller): Promise<GpgKey>
  /** Moves a key to another organization. */
  move(org: string, keyId: string, to: string, caller: Caller): Promise<GpgKey>
  remove(org: string, keyId: string, caller: Caller): Promise<void>
}

const MAX_ARMOR = 64 * 1024

export function createGpgKeys(deps: RecordDeps): GpgKeys {
  const keys = createRecords(deps, {
    name: 'GPG key',
    folder: 'gpg-keys',
    word: 'gpg-key',
    prefix: 'gpg',
    shape,
    most: 200,
    unique: { field: 'ascii-armor', of: ({ keyId }) => keyId },
    says: ({ keyId }) => ({ keyId }),
  })

  async function get(org: string, keyId: string): Promise<GpgKey> {
    const found = (await keys.list({ org })).find((key) => key.keyId === keyId.toUpperCase())
    if (found === undefined) throw new TacoError('NOT_FOUND', `There is no GPG key ${keyId}.`)
    return found
  }

  function add(org: string, asciiArmor: string, caller: Caller): Promise<GpgKey> {
    if (asciiArmor.length > MAX_ARMOR)
      throw badRequest('ascii-armor', `The key is larger than ${MAX_ARMOR} bytes.`)
    const [keyId] = keyIdsOf(asciiArmor)
    return keys.create(
      { org },
      { keyId, asciiArmor, trustSignature: '', source: '', sourceUrl: null },
      caller,
    )
  }

  async function remove(org: string, keyId: string, caller: Caller): Promise<void> {
    await keys.remove({ org }, (await get(org, keyId)).id, caller)
  }

  return {
    list: (org) => keys.list({ org }),
    get,
    add,
    async move(org, keyId, to, caller) {
      const key = await get(org, keyId)
      if (to === org) return key
      // First the new one: a key in both places does less harm than a key in none.
      const moved = await add(to, key.asciiArmor, caller)
      await remove(org, keyId, caller)
      return moved
    },
    remove,
  }
}
