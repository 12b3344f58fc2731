import type { VersionChange } from '../../../../../state/index.ts'
import { outputWords } from './diff-words.ts'

/** What the headers of two versions say about their difference. Empty: not known. Pure. */
export function changeWords(change: VersionChange | undefined): string {
  if (change === undefined) return ''
  const { resources, outputs } = change
  const words = [resources === null ? '' : countWords(resources), outputWords(outputs ?? [])]
  return words.filter((text) => text !== '').join(', ')
}

function countWords(count: number): string {
  if (count === 0) return ''
  const words = `${Math.abs(count)} ${Math.abs(count) === 1 ? 'resource' : 'resources'}`
  return count > 0 ? `+${words}` : `−${words}`
}
