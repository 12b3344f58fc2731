import { z } from 'zod'
import type { Caller } from '../access/index.ts'
import { TacoError, badRequest, isTacoError } from '../base/errors.ts'
import type { Spool } from '../base/spool.ts'
import { type ArchiveUploadLimits, openObject, takeArchive } from '../bucket/index.ts'
import {
  Content,
  type FieldsOf,
  type RecordDeps,
  type RecordOf,
  type Records,
  createContents,
  createRecords,
} from '../records/index.ts'
import { checkPolicyName } from './policy-words.ts'

const Version = openObject({
  id: z.string(),
  status: z.string(),
  /** Who made it: `tfe-api`, or the name of a code host. */
  source: z.string(),
  content: Content.optional(),
  error: z.string().optional(),
  createdAt: z.number(),
  updatedAt: z.number(),
  /** When it got each status, by status. */
  times: z.record(z.string(), z.number()),
})
/** The files of a policy set, as they were uploaded at one time. */
export type PolicySetVersion = z.infer<typeof Version>

const TagSelector = openObject({
  key: z.string(),
  /** Undefined: whatever its value. */
  value: z.string().optional(),
  isExclude: z.boolean(),
})
export type TagSelector = z.infer<typeof TagSelector>

const VcsRepo = openObject({
  identifier: z.string(),
  branch: z.string(),
  ingressSubmodules: z.boolean(),
  oauthToken: z.string().optional(),
  githubApp: z.string().optional(),
  tagsRegex: z.string().optional(),
})

/** Ids by relation. */
const relations = {
  policies: z.array(z.string()),
  units: z.array(z.string()),
  unitExclusions: z.array(z.string()),
  projects: z.array(z.string()),
  projectExclusions: z.array(z.string()),
}
export type Relation = keyof typeof relations

const shape = {
  name: z.string(),
  description: z.string(),
  kind: z.string(),
  /** True: for every unit of the organization, except for the exclusions. */
  isGlobal: z.boolean(),
  isOverridable: z.boolean().optional(),
  isAgentEnabled: z.boolean(),
  toolVersion: z.string().optional(),
  policiesPath: z.string().optional(),
  updatePatterns: z.array(z.string()),
  vcsRepo: VcsRepo.optional(),
  tagSelectors: z.array(TagSelector),
  ...relations,
  /** Oldest first. */
  versions: z.array(Version),
}
export type PolicySet = RecordOf<typeof shape>
export type PolicySetFields = Omit<FieldsOf<PolicySet>, 'versions'>

/** What a set is unless somebody says otherwise. */
export const NEW_POLICY_SET: Omit<PolicySetFields, 'name' | 'kind'> = {
  description: '',
  isGlobal: false,
  isAgentEnabled: false,
  updatePatterns: [],
  tagSelectors: [],
  policies: [],
  units: [],
  unitExclusions: [],
  projects: [],
  projectExclusions: [],
}

/** How many uploads a set keeps: the newest, and the current one. */
const KEPT_VERSIONS = 10
const LIMITS: ArchiveUploadLimits = { maxArchiveBytes: 2 ** 25, maxEntries: 10_000, maxBytes: 2 ** 28 }

/** Sets of policies, and what they are for: stored, and evaluated by nobody yet. */
export interface PolicySets extends Pick<Records<PolicySet>, 'list' | 'locate' | 'update'> {
  create(org: string, fields: PolicySetFields, caller: Caller): Promise<PolicySet>
  remove(org: string, id: string, caller: Caller): Promise<void>
  /** Adds to a relation, or takes away from it. What is there already, or is not there, does no harm. */
  relate(
    org: string,
    id: string,
    change: { readonly relation: Relation; readonly ids: readonly string[]; readonly isAdded: boolean },
    caller: Caller,
  ): Promise<void>
  createVersion(org: string, id: string, caller: Caller): Promise<PolicySetVersion>
  /** ARCHIVE_INVALID and TOO_LARGE make it errored, for good. CONFLICT: it has other content. */
  uploadVersion(
    org: string,
    version: string,
    stream: AsyncIterable<Uint8Array>,
    options: { readonly declaredBytes?: number | undefined },
    caller: Caller,
  ): Promise<void>
  /** By its id alone. */
  locateVersion(
    id: string,
  ): Promise<
    { readonly org: string; readonly set: PolicySet; readonly version: PolicySetVersion } | undefined
  >
}

export function createPolicySets(
  deps: RecordDeps & { readonly spool: Spool },
  limits: ArchiveUploadLimits = LIMITS,
): PolicySets {
  const { clock, ids, spool } = deps
  const records = createRecords(deps, {
    name: 'policy set',
    folder: 'policy-sets',
    word: 'policy-set',
    prefix: 'polset',
    shape,
    most: 1_000,
    unique: { field: 'name', of: ({ name }) => name },
    says: ({ name, kind, isGlobal }) => ({ name, kind, isGlobal }),
  })
  const contents = createContents(deps, 'policy-sets')

  function at(
    version: PolicySetVersion,
    status: string,
    change: Partial<PolicySetVersion> = {},
  ): PolicySetVersion {
    const now = clock.now()
    return { ...version, ...change, status, updatedAt: now, times: { ...version.times, [status]: now } }
  }

  function changeVersion(
    org: string,
    id: string,
    change: (version: PolicySetVersion) => PolicySetVersion,
    caller: Caller,
  ): Promise<PolicySet> {
    return records.update(
      { org },
      setOf(id),
      (set) => {
        const found = set.versions.find((one) => one.id === id)
        if (found === undefined) throw noVersion(id)
        const changed = change(found)
        if (changed === found) return set
        return { ...set, versions: set.versions.map((one) => (one === found ? changed : one)) }
      },
      caller,
    )
  }

  return {
    list: records.list,
    locate: records.locate,
    create(org, fields, caller) {
      check(fields)
      return records.create({ org }, { ...fields, versions: [] }, caller)
    },
    update(place, id, change, caller) {
      const checked = (set: PolicySet) => {
        const changed = change(set)
        check(changed)
        return changed
      }
      return records.update(place, id, checked, caller)
    },
    async remove(org, id, caller) {
      const { versions } = await records.remove({ org }, id, caller)
      for (const { content } of versions) await contents.remove(org, id, content)
    },
    async relate(org, id, { relation, ids: given, isAdded }, caller) {
      await records.update(
        { org },
        id,
        (set) => {
          const before = set[relation]
          const next = isAdded
            ? [...new Set([...before, ...given])]
            : before.filter((one) => !given.includes(one))
          if (next.length === before.length) return set
          const changed = { ...set, [relation]: next }
          check(changed)
          return changed
        },
        caller,
      )
    },
    async createVersion(org, id, caller) {
      const now = clock.now()
      const fields = { status: 'pending', source: 'tfe-api', createdAt: now, updatedAt: now }
      const version = { ...fields, id: versionId(id, ids.id('polsetver')), times: { pending: now } }
      let gone: readonly PolicySetVersion[] = []
      await records.update(
        { org },
        id,
        (set) => {
          if (set.vcsRepo !== undefined)
            throw new TacoError('CONFLICT', `The policy set ${set.name} comes from a repository.`, {
              hint: 'Push to the repository, or disconnect it first.',
            })
          const kept = keptVersions(set.versions)
          gone = set.versions.filter((one) => !kept.includes(one))
          return { ...set, versions: [...kept, version] }
        },
        caller,
      )
      for (const { content } of gone) await contents.remove(org, id, content)
      return version
    },
    async uploadVersion(org, id, stream, { declaredBytes }, caller) {
      const taken = await takeArchive(stream, spool, limits, declaredBytes).catch(async (error: unknown) => {
        if (isTacoError(error, 'ARCHIVE_INVALID', 'TOO_LARGE'))
          await changeVersion(
            org,
            id,
            (one) => (one.status === 'pending' ? at(one, 'errored', { error: error.message }) : one),
            caller,
          )
        throw error
      })
      const set = setOf(id)
      try {
        const content = await contents.put(org, set, taken)
        let isOurs = false
        try {
          await changeVersion(
            org,
            id,
            (one) => {
              isOurs = one.status === 'pending'
              if (isOurs) return at(one, 'ready', { content })
              if (one.status === 'ready' && one.content?.sha256 === taken.hash) return one
              throw new TacoError('CONFLICT', `The policy set version ${id} is ${one.status}.`, {
                hint: 'Create another one.',
              })
            },
            caller,
          )
        } finally {
          // A failure leaves it: whether the record refers to it is unknown then.
          if (!isOurs) await contents.remove(org, set, content)
        }
      } finally {
        await taken.dispose()
      }
    },
    async locateVersion(id) {
      const found = VERSION_ID.test(id) ? await records.locate(setOf(id)) : undefined
      const version = found?.record.versions.find((one) => one.id === id)
      return found && version && { org: found.org, set: found.record, version }
    },
  }
}

/** The one that is in force: the newest whose files are there. */
export function currentVersion({ versions }: Pick<PolicySet, 'versions'>): PolicySetVersion | undefined {
  return versions.findLast(({ status }) => status === 'ready')
}

/** Of the versions so far, so that one more can be added. */
function keptVersions(versions: readonly PolicySetVersion[]): readonly PolicySetVersion[] {
  const current = currentVersion({ versions: [...versions] })
  const from = versions.length - (KEPT_VERSIONS - 1)
  return versions.filter((one, i) => i >= from || one === current)
}

const VERSION_ID = /^polsetver-[0-9A-Za-z]{32}$/

/** The id of a version begins with that of its set, so that it leads there. */
function versionId(set: string, own: string): string {
  return `polsetver-${set.slice('polset-'.length)}${own.slice('polsetver-'.length)}`
}

function setOf(version: string): string {
  return `polset-${version.slice('polsetver-'.length, 'polsetver-'.length + 16)}`
}

function noVersion(id: string): TacoError {
  return new TacoError('NOT_FOUND', `There is no policy set version ${id}.`, { facts: { id } })
}

function check({ name, vcsRepo, policies }: PolicySetFields): void {
  checkPolicyName('policy set', name)
  if (vcsRepo !== undefined && policies.length > 0)
    throw badRequest(
      'vcs-repo',
      'A policy set has either policies or a repository.',
      'Take the policies out of the set first.',
    )
}
