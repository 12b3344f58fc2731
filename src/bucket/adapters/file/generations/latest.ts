import { generationOf, none, printOf, readGeneration, sameGeneration } from './generation.ts'
import { readNames } from './folder.ts'
import { generationPath } from './names.ts'
import { busy } from '../faults.ts'
import type { FileStat, FsOps } from '../fs/fs-ops.ts'
import type { Generation, NamedGeneration } from './generation.ts'
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
 * Why checking a few names is enough: generations are removed in ascending order. Start at one that was once the
 * highest (number and id), go up name by name until one is missing, and look at the first *once more*. If it is still
 * there, nothing above it had been removed, so the last one found was the highest when we looked for the next. The id
 * matters: a writer that slept may put its file at a removed number n, and only the id shows that it is not the n we
 * remember.
 *
 * Where to start: at what this process saw last, or else at what generation 1 names. The writer of a generation names
 * it by inode and times, so that neither a late writer's file nor one from a backup passes for it. We read the whole
 * folder only if it was never named, or if a slower writer named its own after a faster one.
 */
export function latestGenerations(fs: FsOps): Latest {
  const hints = new Map<string, Generation>()

  async function of(place: Place): Promise<Generation> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const hint = hints.get(place.key)
      const known = hint === undefined ? undefined : await highestFrom(place, hint)
      if (known !== undefined) return known
      const first = await firstOf(place)
      if (first === none) return none
      const named = first === undefined ? undefined : await highestFrom(place, first)
      if (named !== undefined) return named
      if (first === undefined || round > 0) await scan(place)
    }
    throw busy(place.key)
  }

  async function highestFrom(place: Place, start: Generation): Promise<Generation | undefined> {
    let highest = start
    for (;;) {
      const next = await readGeneration(fs, generationPath(place, highest.n + 1), highest.n + 1)
      if (next === undefined) break
      highest = next
    }
    const still = await readGeneration(fs, generationPath(place, start.n), start.n)
    if (still === undefined || !sameGeneration(still, start)) {
      hints.delete(place.key)
      return undefined
    }
    if (hints.get(place.key) !== highest) note(place, highest)
    return highest
  }

  /** `none` where there is no object; undefined where it is not known where to begin. */
  async function firstOf(place: Place): Promise<Generation | undefined> {
    for (let before = 0; ;) {
      const first = await readGeneration(fs, generationPath(place, 1), 1)
      if (first === undefined) return none
      if (first.kind !== 'pruned') return first
      if (first.names === undefined || first.names.n === before) return undefined
      const named = await readNamed(place, first.names)
      if (named !== undefined) return named
      // Another writer may have written it just now and named the next one.
      before = first.names.n
    }
  }

  async function readNamed(place: Place, { n, print }: NamedGeneration): Promise<Generation | undefined> {
    const path = generationPath(place, n)
    const isIt = (stat: FileStat | undefined) => stat !== undefined && printOf(stat) === print
    const stat = await fs.lstat(path)
    if (stat === undefined || !isIt(stat)) return undefined
    const generation = await generationOf(fs, path, n, stat)
    // The text of the link was read after we looked at it. A removed one does not come back.
    return stat.kind === 'file' || isIt(await fs.lstat(path)) ? generation : undefined
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
