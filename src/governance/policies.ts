import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Caller } from '../access/index.ts'
import { TacoError, badRequest } from '../base/errors.ts'
import { type Found, bodyOf, openObject } from '../bucket/index.ts'
import {
  Content,
  type FieldsOf,
  type RecordDeps,
  type RecordOf,
  type Records,
  createContents,
  createRecords,
} from '../records/index.ts'
import { checkLevel, checkPolicyName } from './policy-words.ts'

const shape = {
  name: z.string(),
  description: z.string(),
  /** The language that it is written in. */
  kind: z.string(),
  /** What an OPA policy is asked. */
  query: z.string().optional(),
  /** How seriously each of its files is taken. */
  enforce: z.array(openObject({ path: z.string(), mode: z.string() })),
  content: Content.optional(),
}
export type Policy = RecordOf<typeof shape>

/** More would not be a policy. */
export const MAX_POLICY_BYTES = 2 ** 20

/** Policies of organizations: stored, and evaluated by nobody yet. */
export interface Policies extends Pick<Records<Policy>, 'list' | 'locate' | 'create' | 'update'> {
  remove(org: string, id: string, caller: Caller): Promise<void>
  upload(org: string, id: string, text: Uint8Array, caller: Caller): Promise<void>
  /** NOT_FOUND: nothing was uploaded. */
  download(org: string, policy: Policy): Promise<Found>
}

export function createPolicies(deps: RecordDeps): Policies {
  const records = createRecords(deps, {
    name: 'policy',
    folder: 'policies',
    word: 'policy',
    prefix: 'pol',
    shape,
    most: 2_000,
    unique: { field: 'name', of: ({ name }) => name },
    says: ({ name, kind }) => ({ name, kind }),
  })
  const contents = createContents(deps, 'policies')

  return {
    list: records.list,
    locate: records.locate,
    create(place, fields, caller) {
      checkPolicyName('policy', fields.name)
      check(fields)
      return records.create(place, fields, caller)
    },
    update(place, id, change, caller) {
      const checked = (policy: Policy) => {
        const changed = change(policy)
        check(changed)
        return changed
      }
      return records.update(place, id, checked, caller)
    },
    async remove(org, id, caller) {
      const { content } = await records.remove({ org }, id, caller)
      await contents.remove(org, id, content)
    },
    async upload(org, id, text, caller) {
      const hash = createHash('sha256').update(text).digest('hex')
      const content = await contents.put(org, id, { body: bodyOf(text), hash })
      let before: Content | undefined
      const place = { org }
      await records.update(
        place,
        id,
        (policy) => {
          before = policy.content
          return { ...policy, content }
        },
        caller,
      )
      await contents.remove(org, id, before)
    },
    async download(org, { id, content }) {
      if (content !== undefined) return contents.open(org, id, content)
      throw new TacoError('NOT_FOUND', `The policy ${id} has no content.`, { facts: { id } })
    },
  }
}

function check({ kind, query, enforce }: FieldsOf<Policy>): void {
  for (const { mode } of enforce) checkLevel(kind, mode)
  if (kind === 'opa' && (query === undefined || query.trim() === ''))
    throw badRequest(
      'query',
      'An OPA policy needs a query.',
      'Name the rule that is asked, such as data.terraform.deny.',
    )
}
