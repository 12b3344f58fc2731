import type { StateDiff } from '../../../../../state/index.ts'

/** A comparison of two states that can be read. */
export type Compared = Extract<StateDiff, { readonly encrypted: false }>

const KINDS = ['added', 'changed', 'moved', 'removed'] as const
const MOST_NAMED = 2

/** `1 added, 2 changed`. Empty: no resource differs. Pure. */
export function resourceWords({ resources }: Pick<Compared, 'resources'>): string {
  const counts = KINDS.flatMap((word) => {
    const count = resources.filter(({ change }) => change === word).length
    return count === 0 ? [] : [`${count} ${word}`]
  })
  return counts.join(', ')
}

/** `output url`. Empty: there are none. Pure. */
export function outputWords(names: readonly string[]): string {
  if (names.length > MOST_NAMED) return `${names.length} outputs`
  return names.length === 0 ? '' : `${names.length === 1 ? 'output' : 'outputs'} ${names.join(', ')}`
}

/** Everything that differs, in a few words. Pure. */
export function diffWords(diff: Compared): string {
  const words = [resourceWords(diff), outputWords(diff.outputs.map(({ name }) => name))]
  return words.filter((text) => text !== '').join(', ') || 'none'
}
