/**
 * A folder as a bucket, for any number of processes and for containers that share the volume. Every change of an object
 * is a new, numbered generation, claimed by an exclusive hard link, so there are no locks to leave behind. Users'
 * objects are also stored at their key as plain files. People and programs may edit those; each edit is noticed and
 * becomes a generation too. For the rules and why they hold, see latest.ts, write.ts and plain.ts. Never remove the
 * latest generation of a live object, and never remove one before all older ones.
 */
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { badRequest } from '../../../base/errors.ts'
import { checkPrefix } from '../../keys.ts'
import { throwIfAborted } from '../../../base/retry.ts'
import { confirmer } from './plain/confirm.ts'
import { allRules, ensureFolder } from './context.ts'
import { faultOf, goneFolder, noFolder } from './faults.ts'
import { knownGenerations } from './generations/folder.ts'
import { entryOf } from './fs/found.ts'
import { isThere } from './generations/generation.ts'
import { latestGenerations } from './generations/latest.ts'
import { listFolder } from './list.ts'
import { folderMarks } from './generations/mark.ts'
import { OBJECTS, OWN, TEMP, placeOf } from './generations/names.ts'
import { nodeFs } from './fs/node-fs.ts'
import { deleteOwn, putOwn } from './generations/own.ts'
import { hasPlain } from './plain/plain.ts'
import { deletePlain, putPlain } from './plain/plain-write.ts'
import { current, read } from './read.ts'
import { readingFs } from './fs/reading-fs.ts'
import { sweepTemp } from './generations/sweep.ts'
import type { Bucket, Found, GetOptions, Waiting } from '../../bucket.ts'
import type { Context, Rules } from './context.ts'
import type { FsOps } from './fs/fs-ops.ts'
import type { Place } from './generations/names.ts'

export type { FileStat, FsOps, ReadableFile, WritableFile } from './fs/fs-ops.ts'
export type { Rules } from './context.ts'
export { allRules } from './context.ts'
export { nodeFs } from './fs/node-fs.ts'

const MAX_PLACES = 10_000

export interface FileBucketOptions {
  readonly root: string
  /** True: a folder that is not there is refused instead of made. */
  readonly mustExist?: boolean
  /** True: nothing is made or changed, and a folder that is not there but could be made is an empty one. */
  readonly isReadOnly?: boolean
  readonly fs?: FsOps
  /** Never the same twice: letters and digits only. */
  readonly nonce?: () => string
  /** For tests that show what each rule is for. */
  readonly rules?: Rules
}

export async function openFileBucket(options: FileBucketOptions): Promise<Bucket> {
  const { isReadOnly = false } = options
  const writing = options.fs ?? nodeFs()
  const fs = isReadOnly ? readingFs(writing) : writing
  const root = options.fs === undefined ? resolve(options.root) : options.root
  const context: Context = {
    fs,
    root,
    label: `file://${root}`,
    nonce: options.nonce ?? (() => randomBytes(8).toString('hex')),
    latest: latestGenerations(fs),
    known: knownGenerations(fs),
    rules: options.rules ?? allRules,
    folders: new Set(),
  }
  return guarded(context, 'opening', async () => {
    if (options.mustExist === true && (await fs.lstat(root)) === undefined) throw noFolder(context.label)
    if (isReadOnly) await checkRoot(fs, root)
    else await prepare(context)
    return bucketOf(context, (await fs.realpath(root)) ?? root)
  })
}

/** A read-only folder can be opened too. Writing to it reports what is wrong. */
async function prepare(context: Context): Promise<void> {
  const { fs, root } = context
  await makeRoot(fs, root)
  try {
    await ensureFolder(context, `${root}/${OBJECTS}`)
    await ensureFolder(context, `${root}/${TEMP}`)
    await sweepTemp(context)
  } catch (error) {
    if ((await fs.lstat(root)) === undefined) throw error
  }
}

async function makeRoot(fs: FsOps, path: string): Promise<void> {
  for (const missing of await checkRoot(fs, path)) {
    const parent = parentOf(missing)
    await fs.mkdir(missing)
    if (parent !== '') await fs.syncFolder(parent)
  }
}

/** The folders that are not there and would have to be made, outermost first; refused where something else is in their way. */
async function checkRoot(fs: FsOps, path: string): Promise<readonly string[]> {
  const stat = await fs.lstat(path)
  if (stat === undefined) {
    const parent = parentOf(path)
    return [...(parent === '' ? [] : await checkRoot(fs, parent)), path]
  }
  const real = stat.kind === 'link' ? await fs.realpath(path) : undefined
  const { kind } = (real === undefined ? undefined : await fs.lstat(real)) ?? stat
  if (kind !== 'folder') throw Object.assign(new Error(`${path} is not a folder`), { code: 'ENOTDIR' })
  return []
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}

async function bucketOf(context: Context, realRoot: string): Promise<Bucket> {
  const { fs, label, root } = context
  const inside = new Set<string>([root])
  const mark = folderMarks(context)
  const hadObjects = (await fs.lstat(`${root}/${OBJECTS}`)) !== undefined
  const foldsCase = await isCaseIgnored(fs, root)

  const places = new Map<string, Place>()

  /** Checking and splitting a key costs as much as a look at a file, and the same keys come again and again. */
  function placeAt(key: string): Place {
    let place = places.get(key)
    if (place === undefined) {
      place = placeOf(root, key)
      if (places.size >= MAX_PLACES) places.clear()
      places.set(key, place)
    }
    return place
  }

  /** Behind every answer that something is not there: a disk that was taken away has nothing either. */
  async function refuseGone(): Promise<void> {
    if (hadObjects && (await fs.lstat(`${root}/${OBJECTS}`)) === undefined) throw goneFolder(label)
  }

  /** A link among the users' folders must not lead out of the bucket. */
  async function refuseEscape(place: Place): Promise<void> {
    const folder = place.plainFolder
    if (folder === undefined) return
    const real = await fs.realpath(folder)
    if (real === undefined) return
    if (real !== realRoot && !real.startsWith(`${realRoot}/`)) {
      const key = JSON.stringify(place.key)
      throw badRequest(
        'key',
        `The key ${key} cannot be used: a link in its path leads out of the bucket.`,
        'Remove the link, or choose another key.',
      )
    }
    inside.add(folder)
  }

  async function at<T>(
    key: string,
    waiting: Waiting | undefined,
    doing: string,
    act: (place: Place) => Promise<T>,
  ) {
    const place = placeAt(key)
    throwIfAborted(waiting?.signal)
    try {
      if (place.plainFolder !== undefined && !inside.has(place.plainFolder)) await refuseEscape(place)
      return await act(place)
    } catch (error) {
      throw faultOf(error, label, `${doing} ${JSON.stringify(key)}`)
    }
  }

  function get(
    key: string,
    options: GetOptions & { ifNoneMatch: string },
  ): Promise<Found | 'unchanged' | undefined>
  function get(key: string, options?: GetOptions): Promise<Found | undefined>
  function get(key: string, options: GetOptions = {}): Promise<Found | 'unchanged' | undefined> {
    return at(key, options, 'reading', async (place) => {
      const found = await read(context, place, options)
      if (found === undefined) await refuseGone()
      return found
    })
  }

  return {
    kind: 'file',
    label,
    can: { conditionalDelete: true, listsInOneRequest: true, nestedKeys: false, foldsCase },
    get: get as Bucket['get'],
    head: (key, options) =>
      at(key, options, 'reading', async (place) => {
        const generation = await current(context, place)
        if (isThere(generation)) return entryOf(key, generation)
        await refuseGone()
        return undefined
      }),
    confirmer(key, tag) {
      const ask = confirmer(fs, placeAt(key), tag)
      return () => {
        try {
          return ask()
        } catch {
          // The next read reports what is wrong with the folder.
          return false
        }
      }
    },
    put: (key, body, when, options) =>
      at(key, options, 'writing', (place) => {
        const conditions = { ...options, when }
        return hasPlain(place)
          ? putPlain(context, place, body, conditions)
          : putOwn(context, place, body, conditions)
      }),
    delete: (key, when, options) =>
      at(key, options, 'deleting', async (place) => {
        const outcome = await (hasPlain(place)
          ? deletePlain(context, place, when)
          : deleteOwn(context, place, when))
        if (outcome === 'absent') await refuseGone()
        return outcome
      }),
    mark: (prefix) => guarded(context, 'listing', () => mark(prefix)),
    async *list(prefix, options = {}) {
      checkPrefix(prefix)
      throwIfAborted(options.signal)
      try {
        yield* listFolder(context, prefix, options)
        await refuseGone()
      } catch (error) {
        throw faultOf(error, label, 'listing')
      }
    },
    close: () => Promise.resolve(),
  }
}

/** Checks only the folder whose name we know. Where case counts, a folder of the other name is a different one. */
async function isCaseIgnored(fs: FsOps, root: string): Promise<boolean> {
  const [own, other] = [await fs.lstat(`${root}/${OWN}`), await fs.lstat(`${root}/${OWN.toUpperCase()}`)]
  return own !== undefined && own.ino === other?.ino
}

async function guarded<T>(context: Context, doing: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw faultOf(error, context.label, doing)
  }
}
