import { z } from 'zod'
import type { Caller, Sealing } from '../access/index.ts'
import { type RecordDeps, type RecordOf, type Records, createRecords } from '../records/index.ts'

const shape = {
  name: z.string(),
  /** The private key, sealed. */
  value: z.string(),
}
type Stored = RecordOf<typeof shape>
/** Without the key itself: it can be replaced, never read. */
export type SshKey = Omit<Stored, 'value'>

export interface SshKeys extends Pick<Records<Stored>, 'locate'> {
  list(org: string): Promise<readonly SshKey[]>
  find(org: string, id: string): Promise<SshKey | undefined>
  create(org: string, key: { readonly name: string; readonly value: string }, caller: Caller): Promise<SshKey>
  update(
    org: string,
    id: string,
    change: { readonly name?: string | undefined; readonly value?: string | undefined },
    caller: Caller,
  ): Promise<SshKey>
  remove(org: string, id: string, caller: Caller): Promise<SshKey>
}

/** Private keys with which runs fetch modules from Git. */
export function createSshKeys(deps: RecordDeps & { readonly sealing: Sealing }): SshKeys {
  const { sealing } = deps
  const records = createRecords(deps, {
    name: 'SSH key',
    folder: 'ssh-keys',
    word: 'ssh-key',
    prefix: 'sshkey',
    shape,
    most: 500,
    unique: { field: 'name', of: ({ name }) => name },
    says: ({ name }) => ({ name }),
  })
  const seal = (id: string, value: string) => sealing.seal(value, `ssh-key ${id} value`)

  return {
    locate: records.locate,
    list: (org) => records.list({ org }),
    find: (org, id) => records.find({ org }, id),
    create(org, { name, value }, caller) {
      const id = records.newId(org)
      return records.create({ org }, { name, value: seal(id, value) }, caller, id)
    },
    update(org, id, { name, value }, caller) {
      const sealed = value === undefined ? undefined : seal(id, value)
      return records.update(
        { org },
        id,
        (key) => {
          if (sealed === undefined && (name === undefined || name === key.name)) return key
          return { ...key, name: name ?? key.name, value: sealed ?? key.value }
        },
        caller,
      )
    },
    remove: (org, id, caller) => records.remove({ org }, id, caller),
  }
}
