import { readGeneration } from './generation.ts'
import { parseGenerationName } from './names.ts'
import type { Generation } from './generation.ts'
import type { FsOps } from './fs-ops.ts'

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
 * Generations by name, as they were when last looked at. A generation never changes, so a name that is still
 * there stands for what it stood for, unless the object was forgotten and began again at 1, which takes a day.
 */
export interface KnownGenerations {
  /** Asks nobody. */
  peek(folder: string, name: string, n: number): Generation | undefined
  get(folder: string, name: string, n: number): Promise<Generation | undefined>
  note(folder: string, name: string, generation: Generation): void
}

const KEEP_MS = 6 * 3600_000
const MAX_KNOWN = 200_000

export function knownGenerations(fs: FsOps): KnownGenerations {
  const known = new Map<string, { readonly generation: Generation; readonly at: number }>()
  return {
    peek(folder, name, n) {
      const old = known.get(`${folder}/${name}`)
      return old !== undefined && old.generation.n === n && fs.now() - old.at < KEEP_MS
        ? old.generation
        : undefined
    },
    async get(folder, name, n) {
      const path = `${folder}/${name}`
      const old = this.peek(folder, name, n)
      if (old !== undefined) return old
      const generation = await readGeneration(fs, `${path}@${n}`, n)
      if (generation === undefined) known.delete(path)
      else this.note(folder, name, generation)
      return generation
    },
    note(folder, name, generation) {
      if (known.size >= MAX_KNOWN) known.clear()
      known.set(`${folder}/${name}`, { generation, at: fs.now() })
    },
  }
}
