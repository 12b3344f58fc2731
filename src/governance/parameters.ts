import { z } from 'zod'
import type { Caller, Sealing } from '../access/index.ts'
import { badRequest } from '../base/errors.ts'
import { type RecordDeps, type RecordOf, createRecords } from '../records/index.ts'

const shape = {
  key: z.string(),
  /** Sealed, if it is sensitive. */
  value: z.string(),
  isSensitive: z.boolean(),
}
type Stored = RecordOf<typeof shape>
/** The value of a sensitive one is undefined: it can be replaced, never read. */
export type Parameter = Omit<Stored, 'value'> & { readonly value: string | undefined }

interface ParameterChange {
  readonly key?: string | undefined
  readonly value?: string | undefined
  readonly isSensitive?: boolean | undefined
}

/** Values that the policies of a set get. */
export interface Parameters {
  list(org: string, set: string): Promise<readonly Parameter[]>
  get(org: string, set: string, id: string): Promise<Parameter>
  create(
    org: string,
    set: string,
    given: ParameterChange & { readonly key: string },
    caller: Caller,
  ): Promise<Parameter>
  /** A sensitive one stays sensitive. */
  update(org: string, set: string, id: string, given: ParameterChange, caller: Caller): Promise<Parameter>
  remove(org: string, set: string, id: string, caller: Caller): Promise<void>
  /** Of a set that is gone. */
  clear(org: string, set: string): Promise<void>
}

export function createParameters(deps: RecordDeps & { readonly sealing: Sealing }): Parameters {
  const records = createRecords(deps, {
    name: 'parameter',
    folder: 'policy-set-parameters',
    word: 'policy-set-parameter',
    prefix: 'var',
    shape,
    most: 500,
    unique: { field: 'key', of: ({ key }) => key },
    says: ({ key, isSensitive }) => ({ key, isSensitive }),
  })

  function stored(id: string, value: string, isSensitive: boolean) {
    const context = `policy-set-parameter ${id} value`
    return { value: isSensitive ? deps.sealing.seal(value, context) : value, isSensitive }
  }

  return {
    list: async (org, of) => (await records.list({ org, of })).map(shown),
    get: async (org, of, id) => shown(await records.get({ org, of }, id)),
    async create(org, of, { key, value = '', isSensitive = false }, caller) {
      const id = records.newId(org)
      return shown(await records.create({ org, of }, { key, ...stored(id, value, isSensitive) }, caller, id))
    },
    async update(org, of, id, { key, value, isSensitive }, caller) {
      const changed = await records.update(
        { org, of },
        id,
        (before) => {
          if (before.isSensitive && isSensitive === false)
            throw badRequest(
              'sensitive',
              'A sensitive parameter stays sensitive.',
              'Delete it and create another one.',
            )
          const isNow = isSensitive ?? before.isSensitive
          const isSealedNow = isNow && !before.isSensitive
          const next = value ?? (isSealedNow ? before.value : undefined)
          return {
            ...before,
            key: key ?? before.key,
            ...(next === undefined ? {} : stored(id, next, isNow)),
          }
        },
        caller,
      )
      return shown(changed)
    },
    async remove(org, of, id, caller) {
      await records.remove({ org, of }, id, caller)
    },
    clear: (org, of) => records.clear({ org, of }),
  }
}

function shown({ value, ...parameter }: Stored): Parameter {
  return { ...parameter, value: parameter.isSensitive ? undefined : value }
}
