import type { EventView } from '../../../../state/index.ts'

/** What the author of an event did. Types that have no words here are shown by their name. */
const WORDS: Readonly<Record<string, string>> = {
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
  'state.missing': 'found the state missing of',
  'state.superseded': 'superseded a state of',
  'lock.taken': 'locked',
  'lock.released': 'unlocked',
  'lock.forced': 'broke the lock of',
  'lock.expired': 'let the lock expire of',
  'gc.pruned': 'removed old versions of',
  'dependencies.changed': 'changed the dependencies of',
  'rollout.started': 'started a rollout',
  'rollout.paused': 'paused a rollout',
  'rollout.resumed': 'resumed a rollout',
  'rollout.cancelled': 'cancelled a rollout',
  'rollout.finished': 'finished a rollout',
  'step.applied': 'applied',
  'step.failed': 'failed to apply',
  'step.skipped': 'skipped',
}

export const wordsOf = ({ type }: Pick<EventView, 'type'>): string => WORDS[type] ?? type

const MOST_DETAILS = 4
const MOST_LETTERS = 80

/** The plain values of an event, such as the serial of a state. The rollout has a link of its own. Pure. */
export function detailsOf({ data }: Pick<EventView, 'data'>): string {
  return Object.entries(data)
    .flatMap(([name, value]) => {
      if (name === 'rollout' || !['string', 'number', 'boolean'].includes(typeof value)) return []
      const text = String(value)
      return text === ''
        ? []
        : [`${name} ${text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text}`]
    })
    .slice(0, MOST_DETAILS)
    .join(' · ')
}

/** `state` means every type that begins with `state.`; an unknown one is looked for as it is. Pure. */
export function typesLike(wanted: readonly string[], known: readonly string[]): readonly string[] {
  return wanted.flatMap((one) => {
    const under = known.filter((type) => type.startsWith(`${one}.`))
    return under.length > 0 ? under : [one]
  })
}
