import { compareKeys, keyFault } from '../../keys.ts'
import { throwIfAborted } from '../../../base/retry.ts'
import { readNames } from './generations/folder.ts'
import { entryOf } from './fs/found.ts'
import { isThere, none, printOf, readGeneration } from './generations/generation.ts'
import {
  OBJECTS,
  OWN,
  generationPath,
  hidden,
  isReserved,
  placeOf,
  shownSegment,
} from './generations/names.ts'
import { isPublished } from './plain/plain.ts'
import { current } from './read.ts'
import { sweepNames } from './generations/sweep.ts'
import type { Entry, ListOptions } from '../../bucket.ts'
import type { Context } from './context.ts'
import type { FolderNames } from './generations/folder.ts'

const PAGE = 1000

/** Reads one folder at a time, when the walk reaches it, in the byte order of its keys. */
export async function* listFolder(
  context: Context,
  prefix: string,
  options: ListOptions,
): AsyncGenerator<readonly Entry[]> {
  const size = Math.max(1, options.pageSize ?? PAGE)
  const walk: Walk = { prefix, after: options.after ?? '', signal: options.signal }
  const slash = prefix.lastIndexOf('/')
  const folder = slash === -1 ? '' : prefix.slice(0, slash + 1)
  let page: Entry[] = []
  for await (const entries of entriesUnder(context, walk, folder)) {
    for (const entry of entries) {
      page.push(entry)
      if (page.length < size) continue
      yield page
      page = []
    }
  }
  if (page.length > 0) yield page
}

interface Walk {
  readonly prefix: string
  readonly after: string
  readonly signal: AbortSignal | undefined
}

interface Item {
  /** The key, or the folder's path with its slash: that is how their keys sort. */
  readonly path: string
  readonly name: string
  readonly isFolder: boolean
}

const BATCH = 256

async function* entriesUnder(context: Context, walk: Walk, folder: string): AsyncGenerator<readonly Entry[]> {
  throwIfAborted(walk.signal)
  const isOwn = folder === `${OWN}/` || folder.startsWith(`${OWN}/`)
  if (folder.startsWith(`${OBJECTS}/`) || folder.startsWith(`${OWN}/tmp/`)) return
  const names = await (isOwn ? readOwn(context, folder) : readPlain(context, folder))
  if (isOwn) await sweepNames(context, names.generations, `${context.root}/${hidden(folder.slice(0, -1))}`)
  let batch: Entry[] = []
  for (const item of itemsOf(names, walk, folder)) {
    if (item.isFolder) {
      if (batch.length > 0) yield batch
      batch = []
      yield* entriesUnder(context, walk, item.path)
      continue
    }
    const asked = isOwn ? ownEntry(context, names, item) : plainEntry(context, names, item)
    const entry = asked instanceof Promise ? await asked : asked
    if (entry === undefined) continue
    batch.push(entry)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

interface Contents {
  readonly keys: Iterable<string>
  readonly folders: Iterable<string>
  readonly folder: string
  readonly generations: FolderNames
}

async function readOwn(context: Context, folder: string): Promise<Contents> {
  const path = `${context.root}/${hidden(folder.slice(0, -1))}`
  const generations = await readNames(context.fs, path)
  const shown = generations.folders.map(shownSegment)
  const folders = folder === `${OWN}/` ? shown.filter((name) => !isReserved(name)) : shown
  return { keys: generations.objects.keys(), folders, folder: path, generations }
}

/** Both trees: a plain file that was removed by hand is still an object, and a new one is not yet a generation. */
async function readPlain(context: Context, folder: string): Promise<Contents> {
  const tail = folder === '' ? '' : `/${folder.slice(0, -1)}`
  const path = `${context.root}/${OBJECTS}${hidden(tail)}`
  const generations = await readNames(context.fs, path)
  const keys = new Set(generations.objects.keys())
  const folders = new Set(generations.folders.map(shownSegment))
  for (const entry of (await context.fs.readdir(`${context.root}${tail}`)) ?? []) {
    if (entry.kind === 'file') keys.add(entry.name)
    if (entry.kind === 'folder') folders.add(entry.name)
  }
  if (folder === '') folders.add(OWN)
  return { keys, folders, folder: path, generations }
}

function itemsOf(contents: Contents, walk: Walk, folder: string): readonly Item[] {
  const items: Item[] = []
  for (const name of contents.keys) {
    const path = folder + name
    if (path.startsWith(walk.prefix) && (walk.after === '' || compareKeys(path, walk.after) > 0))
      items.push({ path, name, isFolder: false })
  }
  for (const name of contents.folders) {
    const path = `${folder}${name}/`
    const fits = path.startsWith(walk.prefix) || walk.prefix.startsWith(path)
    const isLater = walk.after === '' || walk.after.startsWith(path) || compareKeys(path, walk.after) > 0
    if (fits && isLater) items.push({ path, name, isFolder: true })
  }
  return items.sort(items.some(({ name }) => /[\ud800-\udfff]/.test(name)) ? inKeyOrder : inUnitOrder)
}

/** The same order as long as no character is above U+FFFF, and five times as fast. */
function inUnitOrder(a: Item, b: Item): number {
  return a.path < b.path ? -1 : 1
}

function inKeyOrder(a: Item, b: Item): number {
  return compareKeys(a.path, b.path)
}

/** Not a promise where no system call is needed: ten thousand promises take longer than reading the folder. */
function ownEntry(
  context: Context,
  contents: Contents,
  item: Item,
): Entry | undefined | Promise<Entry | undefined> {
  const names = contents.generations.objects.get(item.name)
  if (names === undefined || !names.isFile) return undefined
  const known = context.known.peek(contents.folder, item.name, names.highest)
  return known === undefined ? askedEntry(context, contents, item, names.highest) : entryOf(item.path, known)
}

async function askedEntry(
  context: Context,
  contents: Contents,
  item: Item,
  highest: number,
): Promise<Entry | undefined> {
  const generation = await context.known.get(contents.folder, item.name, highest)
  // It was replaced or deleted since the folder was read.
  const latest = generation ?? (await context.latest.of(placeOf(context.root, item.path)))
  return isThere(latest) ? entryOf(item.path, latest) : undefined
}

/** What has never been a generation stays none: a list of a big folder that is not ours writes nothing into it. */
async function plainEntry(context: Context, contents: Contents, item: Item): Promise<Entry | undefined> {
  if (keyFault(item.path) !== undefined) return undefined
  const names = contents.generations.objects.get(item.name)
  const place = placeOf(context.root, item.path)
  const stat = await context.fs.lstat(`${context.root}/${item.path}`)
  const file = stat?.kind === 'file' ? stat : undefined
  if (names === undefined || names.highest === 0) {
    if (file === undefined) return undefined
    const modifiedAt = Math.floor(file.mtimeMs)
    return entryOf(item.path, { ...none, kind: 'outside', id: printOf(file), size: file.size, modifiedAt })
  }
  if (names.pending.length === 0) {
    const generation = await readGeneration(context.fs, generationPath(place, names.highest), names.highest)
    if (generation !== undefined && isPublished(generation, file))
      return isThere(generation) ? entryOf(item.path, generation) : undefined
  }
  const latest = await current(context, place)
  return isThere(latest) ? entryOf(item.path, latest) : undefined
}
