import { none, readGeneration, sameGeneration } from './generation.ts'
import { readNames } from './folder.ts'
import { generationPath } from './names.ts'
import { busy } from './faults.ts'
import type { FsOps } from './fs-ops.ts'
import type { Generation } from './generation.ts'
import type { Place } from './names.ts'

/** Finds the highest generation of an object, mostly by asking whether the one it knows is still it. */
export interface Latest {
  /** `none` when there never was one. */
  of(place: Place): Promise<Generation>
  /** What a write of this process has just made. */
  note(place: Place, generation: Generation): void
  forget(place: Place): void
}

const MAX_HINTS = 100_000
const MAX_ROUNDS = 1000

/**
 * Why asking two names is enough: generations are removed in ascending order. So if n+1 is not there and n, *looked
 * at afterwards*, is still the very one that was the highest once (number and id), then n+1 had not been made when
 * it was looked for: had it been made and removed, n would have been removed before it. The id matters: a writer that
 * slept may put its file at the removed number n, and only the id shows that it is not the n that is remembered.
 */
export function latestGenerations(fs: FsOps): Latest {
  const hints = new Map<string, Generation>()

  async function of(place: Place): Promise<Generation> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const hint = hints.get(place.key) ?? (await firstOf(place))
      if (hint === none) return none
      if (hint !== undefined) {
        const asked = fs.lstat(generationPath(place, hint.n + 1))
        const next = asked instanceof Promise ? await asked : asked
        if (next === undefined) {
          const now = await readGeneration(fs, generationPath(place, hint.n), hint.n)
          if (now !== undefined && sameGeneration(now, hint)) {
            if (!hints.has(place.key)) note(place, now)
            return now
          }
        }
      }
      await scan(place)
    }
    throw busy(place.key)
  }

  /** Generation 1 is emptied but never removed: none means no object; one that is not emptied is where to begin. */
  async function firstOf(place: Place): Promise<Generation | undefined> {
    const first = await readGeneration(fs, generationPath(place, 1), 1)
    if (first === undefined) return none
    return first.kind === 'pruned' ? undefined : first
  }

  /**
   * Reads the folder, the generations, and the folder again. Only where both readings agree is the generation the
   * highest: between a single reading and the look at the file, the file could have been replaced by a late one.
   * All neighbours are learnt at once, so a cold start costs two readings of a folder and not two per object.
   */
  async function scan(place: Place): Promise<void> {
    hints.delete(place.key)
    const before = await readNames(fs, place.folder)
    const prefix = place.key.slice(0, place.key.length - place.name.length)
    const found: Generation[] = []
    const keys: string[] = []
    for (const [name, { highest }] of before.objects) {
      const key = prefix + name
      if (highest === 0 || (name !== place.name && hints.has(key))) continue
      const generation = await readGeneration(fs, `${place.folder}/${name}@${highest}`, highest)
      if (generation === undefined) continue
      found.push(generation)
      keys.push(name)
    }
    const after = await readNames(fs, place.folder)
    if (hints.size + found.length > MAX_HINTS) hints.clear()
    for (const [i, name] of keys.entries()) {
      const generation = found[i]
      if (generation !== undefined && after.objects.get(name)?.highest === generation.n) {
        hints.set(prefix + name, generation)
      }
    }
  }

  function note(place: Place, generation: Generation): void {
    if (hints.size >= MAX_HINTS) hints.clear()
    hints.set(place.key, generation)
  }

  return { of, note, forget: (place) => void hints.delete(place.key) }
}
