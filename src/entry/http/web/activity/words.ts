import type { EventView } from '../../../../state/index.ts'
import type { FeedLine } from './groups.ts'

/** Names come from documents: `constructor` is a name like any other. */
function wordsFor<T = string>(words: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(Object.entries(words))
}

/** What the author of an event did. Types that have no words here are shown by their name. */
const WORDS = wordsFor({
  'org.created': 'created the organization',
  'org.changed': 'changed the organization',
  'org.renamed': 'renamed the organization',
  'org.deleted': 'deleted the organization',
  'org.restored': 'restored the organization',
  'unit.created': 'created',
  'unit.adopted': 'adopted',
  'unit.changed': 'changed the settings of',
  'unit.renamed': 'renamed',
  'unit.deleted': 'deleted',
  'unit.restored': 'restored',
  'state.written': 'wrote the state of',
  'state.deleted': 'deleted the state of',
  'state.missing': 'found no state of',
  'state.superseded': 'replaced a state of',
  'lock.taken': 'locked',
  'lock.released': 'unlocked',
  'lock.forced': 'broke the lock of',
  'lock.expired': 'released the expired lock of',
  'gc.pruned': 'removed old versions of',
  'dependencies.changed': 'changed the dependencies of',
  'rollout.started': 'started',
  'rollout.paused': 'paused',
  'rollout.resumed': 'resumed',
  'rollout.cancelled': 'cancelled',
  'rollout.finished': 'finished',
  'step.applied': 'applied',
  'step.failed': 'failed to apply',
  'step.skipped': 'skipped',
  'token.created': 'created a token',
  'token.revoked': 'revoked a token',
  'tokens.limited': 'changed the limits of tokens',
  'workload.changed': 'changed a workload rule',
  'workload.deleted': 'deleted a workload rule',
  'member.invited': 'invited a member',
  'member.removed': 'removed a member',
  'team.created': 'created a team',
  'team.changed': 'changed a team',
  'team.deleted': 'deleted a team',
  'team.member-added': 'added a member to a team',
  'team.member-removed': 'removed a member from a team',
  'role.changed': 'changed a role',
  'role.deleted': 'deleted a role',
  'role.granted': 'gave a role',
  'role.revoked': 'took a role away',
  'guard.set': 'set a guard',
  'guard.ended': 'ended a guard',
  'guard.broken': 'broke the glass for',
})

const IN_GROUP = wordsFor({ 'lock.released': 'locked and unlocked' })

/** What one line says. */
export function lineWords({ event, events }: FeedLine): string {
  const inGroup = events.length > 1 ? IN_GROUP.get(event.type) : undefined
  return inGroup ?? WORDS.get(event.type) ?? documentWords(event.type) ?? event.type
}

/** Documents that are created, changed and deleted as a whole, where their name is not the word for them. */
const DOCUMENTS = wordsFor({
  'organization-settings': 'the settings',
  'registry-module': 'a module',
  'registry-module-version': 'a version of a module',
  'registry-provider': 'a provider',
  'registry-provider-version': 'a version of a provider',
  'gpg-key': 'a signing key',
})
const OF_DOCUMENT = /^([a-z-]+)\.(created|updated|deleted)$/

function documentWords(type: string): string | undefined {
  const [, word, did = ''] = OF_DOCUMENT.exec(type) ?? []
  if (word === undefined) return undefined
  const article = /^[aeio]/.test(word) ? 'an' : 'a'
  const what = DOCUMENTS.get(word) ?? `${article} ${word.replaceAll('-', ' ')}`
  return `${did === 'updated' ? 'changed' : did} ${what}`
}

const HOW = wordsFor({
  backend: 'by an engine',
  push: 'with push',
  rollback: 'by a rollback',
  outside: 'in the bucket itself',
  restore: 'by a restore',
  api: 'through the API',
})

const MOST_DETAILS = 4
const MOST_LETTERS = 80

/** How a value of an event is said. Those that have no words here are said with their name. */
const DETAILS = wordsFor<(value: string | number | boolean) => string>({
  // Links of the line lead to these.
  rollout: () => '',
  version: () => '',
  size: () => '',
  commit: () => '',
  seq: (value) => `version ${value}`,
  serial: (value) => `serial ${value}`,
  how: (value) => HOW.get(String(value)) ?? String(value),
  force: (value) => (value === true ? 'forced' : ''),
  outside: (value) => (value === true ? 'in the bucket itself' : ''),
  reason: (value) => `“${value}”`,
  from: (value) => `from ${value}`,
  to: (value) => `to ${value}`,
  key: (value) => `at ${value}`,
  changed: (value) => `changed ${value}`,
  steps: (value) => `${value} ${value === 1 ? 'step' : 'steps'}`,
  applied: (value) => `${value} applied`,
  skipped: (value) => `${value} skipped`,
  fingerprint: () => 'the code and the inputs are the same',
})

/** The plain values of an event in words, such as the serial of a state. Pure. */
export function detailsOf({ data, type }: Pick<EventView, 'data' | 'type'>): string {
  const name = data['name'] ?? data['key']
  if (!WORDS.has(type) && OF_DOCUMENT.test(type) && typeof name === 'string') return name
  return Object.entries(data)
    .flatMap(([field, value]) => {
      if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return []
      if (value === '') return []
      const short =
        typeof value === 'string' && value.length > MOST_LETTERS ? `${value.slice(0, MOST_LETTERS)}…` : value
      const words = DETAILS.get(field)?.(short) ?? `${field} ${short}`
      return words === '' ? [] : [words]
    })
    .slice(0, MOST_DETAILS)
    .join(', ')
}

/** The same of a line; of several writes, how many they were. */
export function lineDetails({ event, events }: FeedLine): string {
  const writes = events.filter(({ type }) => type === 'state.written').length
  return [writes > 1 ? `${writes} times` : '', detailsOf(event)].filter((text) => text !== '').join(', ')
}

/** `state` means every type that begins with `state.`; an unknown one is looked for as it is. Pure. */
export function typesLike(wanted: readonly string[], known: readonly string[]): readonly string[] {
  return wanted.flatMap((one) => {
    const under = known.filter((type) => type.startsWith(`${one}.`))
    return under.length > 0 ? under : [one]
  })
}
