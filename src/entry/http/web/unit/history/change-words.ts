import type { VersionChange } from '../../../../../state/index.ts'

const MOST_NAMED = 2

/** How a version differs from the one before it, in a few words. Empty: not known. Pure. */
export function changeWords(change: VersionChange | undefined): string {
  if (change === undefined) return ''
  const { resources, outputs } = change
  const parts = [
    ...(resources === null || resources === 0 ? [] : [resourceWords(resources)]),
    ...(outputs === null || outputs.length === 0 ? [] : [outputWords(outputs)]),
  ]
  if (parts.length > 0) return parts.join(', ')
  return resources === null || outputs === null ? '' : 'outputs unchanged'
}

function resourceWords(count: number): string {
  const words = `${Math.abs(count)} ${Math.abs(count) === 1 ? 'resource' : 'resources'}`
  return count > 0 ? `+${words}` : `−${words}`
}

function outputWords(names: readonly string[]): string {
  if (names.length > MOST_NAMED) return `${names.length} outputs`
  return `${names.length === 1 ? 'output' : 'outputs'} ${names.join(', ')}`
}
