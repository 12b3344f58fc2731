import type { OutputDigest } from '../documents/model.ts'

export interface ScannedOutput {
  readonly name: string
  readonly sensitive: boolean
  readonly digest: string
}

/** The outputs commit of a new version, given the one before it. Nothing changed: the number stays. Pure. */
export function nextCommit(
  before: { readonly commit: number; readonly outputs: readonly OutputDigest[] | null } | null,
  outputs: readonly ScannedOutput[] | null,
): { readonly commit: number; readonly outputs: OutputDigest[] | null; readonly changed: readonly string[] } {
  const number = before?.commit ?? 0
  // We cannot report a change in what we cannot read. The next readable version makes a commit in any case.
  if (outputs === null) return { commit: number, outputs: null, changed: [] }
  const known = new Map((before?.outputs ?? []).map((output) => [output.name, output]))
  const changed = new Set<string>()
  const gone = new Set(known.keys())
  for (const { name, sensitive, digest } of outputs) {
    gone.delete(name)
    const old = known.get(name)
    if (old?.digest !== digest || old.sensitive !== sensitive) changed.add(name)
  }
  const wasUnreadable = before !== null && before.outputs === null
  const commit = changed.size > 0 || gone.size > 0 || wasUnreadable ? number + 1 : number
  return {
    commit,
    outputs: outputs.map(({ name, sensitive, digest }) => ({
      name,
      sensitive,
      digest,
      since: changed.has(name) ? commit : (known.get(name)?.since ?? commit),
    })),
    changed: [...changed, ...gone].sort(),
  }
}
