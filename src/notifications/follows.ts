import { z } from 'zod'
import { type DocumentKind, createDocumentStore, documentFields, openObject } from '../bucket/index.ts'
import type { RecordDeps } from '../records/index.ts'
import { followKey, followsPrefix } from './layout.ts'

/** Up to where the events of an organization were passed on. It exists if a configuration was ever enabled. */
export const FollowDocument = openObject({
  ...documentFields(1),
  org: z.string(),
  /** Of the journal. */
  cursor: z.string(),
  /** The term of the deliverer that moved it: an earlier one must not move it back. */
  term: z.number().int().min(0),
})
export type FollowDocument = z.infer<typeof FollowDocument>

const kind: DocumentKind<FollowDocument, string> = {
  name: 'place in the journal',
  format: { schema: FollowDocument, major: 1, minor: 0 },
  keyOf: followKey,
  refOf: ({ org }) => org,
  cache: { most: 5_000 },
}

export interface Follows {
  /** Ids of the organizations, each with a tag that changes with its document. */
  list(): Promise<readonly { readonly org: string; readonly tag: string }[]>
  find(org: string): Promise<FollowDocument | undefined>
  /** Follows the organization, from `cursor` on if it was not followed, or if `restart` says so. */
  begin(org: string, cursor: string, restart: boolean): Promise<void>
  /** False: a later deliverer has taken over. */
  move(org: string, cursor: string, term: number): Promise<boolean>
  /** Makes the deliverer look at the configurations of the organization again. */
  touch(org: string): Promise<void>
}

export function createFollows({ bucket, clock, ids }: RecordDeps): Follows {
  const store = createDocumentStore<FollowDocument, string>({ bucket, clock, ids }, kind)
  return {
    async list() {
      const entries = await store.entries(followsPrefix)
      return entries.map(({ key, tag }) => ({
        org: key.slice(followsPrefix.length).replace(/\.json$/, ''),
        tag: String(tag),
      }))
    },
    find: async (org) => (await store.find(org))?.value,
    async begin(org, cursor, restart) {
      if ((await store.find(org)) === undefined) await store.create(org, { org, cursor, term: 0 })
      else if (restart)
        await store.change(org, (before) => ({ value: { ...before, cursor }, answer: undefined }))
    },
    async move(org, cursor, term) {
      const { answer } = await store.change(org, (before) =>
        before.term > term
          ? { value: before, answer: false }
          : { value: { ...before, cursor, term }, answer: true },
      )
      return answer
    },
    async touch(org) {
      await store.change(org, (before) => ({ value: { ...before }, answer: undefined }))
    },
  }
}
