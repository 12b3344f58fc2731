import type { HistoryEntry } from '../history/history-entry.ts'
import type { VersionChange } from '../state-control.ts'

type Entry = Pick<HistoryEntry, 'facts' | 'commit' | 'outputs' | 'superseded'>

/** By the id of the version. One whose predecessor is not among them has no entry, unless it is the first. Pure. */
export function changesAmong(newestFirst: readonly Entry[]): ReadonlyMap<string, VersionChange> {
  const changes = new Map<string, VersionChange>()
  newestFirst.forEach((entry, at) => {
    const before = newestFirst.slice(at + 1).find(({ superseded }) => !superseded)
    if (before !== undefined || entry.facts.seq === 1) changes.set(entry.facts.id, changeOf(before, entry))
  })
  return changes
}

function changeOf(before: Entry | undefined, { facts, commit, outputs }: Entry): VersionChange {
  const [old, now] = [before === undefined ? 0 : before.facts.resources, facts.resources]
  return {
    resources: old === null || now === null ? null : now - old,
    outputs: changedOutputs(before, commit, outputs),
  }
}

function changedOutputs(
  before: Entry | undefined,
  commit: number,
  outputs: Entry['outputs'],
): readonly string[] | null {
  if (outputs === null || before?.outputs === null) return null
  if (before?.commit === commit) return []
  const names = new Set(outputs.map(({ name }) => name))
  const gone = (before?.outputs ?? []).map(({ name }) => name).filter((name) => !names.has(name))
  const old = new Map((before?.outputs ?? []).map(({ name, digest }) => [name, digest]))
  const changed = outputs.filter(({ name, digest }) => old.get(name) !== digest).map(({ name }) => name)
  return [...changed, ...gone].sort()
}
