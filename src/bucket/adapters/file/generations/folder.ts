import { readGeneration } from './generation.ts'
import { parseGenerationName } from './names.ts'
import type { Generation } from './generation.ts'
import type { FsOps } from '../fs/fs-ops.ts'

/** What is known of one object from the names in its folder. */
export interface Names {
  highest: number
  /** Whether the highest is data, as far as its name shows. */
  isFile: boolean
  readonly numbers: number[]
  readonly pending: { readonly n: number; readonly id: string }[]
}

export interface FolderNames {
  readonly objects: Map<string, Names>
  readonly folders: string[]
}

export async function readNames(fs: FsOps, folder: string): Promise<FolderNames> {
  const objects = new Map<string, Names>()
  const folders: string[] = []
  for (const entry of (await fs.readdir(folder)) ?? []) {
    if (entry.kind === 'folder') {
      folders.push(entry.name)
      continue
    }
    const parsed = parseGenerationName(entry.name)
    if (parsed === undefined) continue
    let names = objects.get(parsed.name)
    if (names === undefined)
      objects.set(parsed.name, (names = { highest: 0, isFile: false, numbers: [], pending: [] }))
    if (parsed.pending !== undefined) {
      names.pending.push({ n: parsed.n, id: parsed.pending })
      continue
    }
    names.numbers.push(parsed.n)
    if (parsed.n > names.highest) {
      names.highest = parsed.n
      names.isFile = entry.kind === 'file'
    }
  }
  return { objects, folders }
}

/**
 * Generations by name, as the last listing found them. A generation never changes, so a name that still exists means
 * what it meant before, unless the object was forgotten and started again at 1, which takes a day. Only for our own
 * documents, because those are listed again and again.
 */
export interface KnownGenerations {
  /** Makes no system call. */
  peek(folder: string, name: string, n: number): Generation | undefined
  get(folder: string, name: string, n: number): Promise<Generation | undefined>
  /** What a write made. Most of what is written is never listed, so only what was is kept up to date. */
  note(folder: string, name: string, generation: Generation): void
}

const HOUR = 3600_000
/** What no list asked for in this time is forgotten: most objects of the journal are listed for a minute. */
const UNUSED_MS = 5 * 60_000
const MAX_KNOWN = 100_000

export function knownGenerations(fs: FsOps): KnownGenerations {
  // By use, because a time for each of ten thousand takes more room than what it belongs to.
  let young = new Map<string, Generation>()
  let old = new Map<string, Generation>()
  let since = fs.now()
  let believedSince = since

  /** Nothing is believed for more than four hours. */
  function forgetUnused(): void {
    const now = fs.now()
    const isTooOld = now - believedSince > 4 * HOUR
    if (!isTooOld && now - since < UNUSED_MS && young.size < MAX_KNOWN) return
    old = isTooOld ? new Map() : young
    young = new Map()
    since = now
    if (isTooOld) believedSince = now
  }

  return {
    peek(folder, name, n) {
      forgetUnused()
      const path = pathOf(folder, name)
      const known = young.get(path) ?? old.get(path)
      if (known?.n !== n) return undefined
      if (old.delete(path)) young.set(path, known)
      return known
    },
    async get(folder, name, n) {
      const known = this.peek(folder, name, n)
      if (known !== undefined) return known
      const path = pathOf(folder, name)
      const generation = await readGeneration(fs, `${path}@${n}`, n)
      old.delete(path)
      if (generation === undefined) young.delete(path)
      else young.set(path, generation)
      return generation
    },
    note(folder, name, generation) {
      const path = pathOf(folder, name)
      if (young.has(path) || old.has(path)) young.set(path, generation)
    },
  }
}

/** As one string: V8's result of `+` would keep both parts alive as well. */
function pathOf(folder: string, name: string): string {
  return [folder, name].join('/')
}
