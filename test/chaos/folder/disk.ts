/** A disk in memory that lets a test interfere between any two operations and cut the power. */
import type { FileStat, FsOps, ReadableFile, WritableFile } from '../../../src/bucket/adapters/file/index.ts'

interface Inode {
  readonly ino: number
  readonly kind: FileStat['kind']
  text: string
  data: Buffer
  mtimeUs: number
  ctimeUs: number
  /** What a power cut leaves of it. */
  durable: { data: Buffer; mtimeUs: number } | undefined
}

/** What an operation touches, so that two that touch nothing in common need not be tried in both orders. */
export interface Step {
  readonly op: string
  readonly reads: readonly string[]
  readonly writes: readonly string[]
}

/** Called before each operation. */
export type Gate = (step: Step) => Promise<void>

export interface Disk {
  now: number
  readonly names: Map<string, Inode>
  fsOps(gate: Gate): FsOps
  copy(): Disk
  /** What tofu's local backend does: the same file, emptied and written again. */
  rewrite(path: string, content: string): void
  truncate(path: string): void
  /** What an editor does: a new file over the old one. */
  replace(path: string, content: string): void
  /** `keeps` decides for each name that was not made durable whether it is lost; data that was not is always lost. */
  cutPower(keeps: (path: string) => boolean): Disk
}

const TICK_US = 4000

export function memoryDisk(firstInode = 1): Disk {
  let inodes = firstInode
  const names = new Map<string, Inode>()
  const durableNames = new Map<string, Inode>()
  const disk: Disk = { now: 1_700_000_000_000, names, fsOps, copy, rewrite, truncate, replace, cutPower }
  add('/b', make('folder'))
  durableNames.set('/b', get('/b'))
  return disk

  function tick(): number {
    return Math.floor((disk.now * 1000) / TICK_US) * TICK_US
  }
  function make(kind: Inode['kind'], text = ''): Inode {
    const at = tick()
    return { ino: inodes++, kind, text, data: Buffer.alloc(0), mtimeUs: at, ctimeUs: at, durable: undefined }
  }
  function get(path: string): Inode {
    const inode = names.get(path)
    if (inode === undefined) throw fault('ENOENT', path)
    return inode
  }
  function add(path: string, inode: Inode): void {
    if (path !== '/b' && names.get(parentOf(path))?.kind !== 'folder') throw fault('ENOENT', path)
    names.set(path, inode)
  }
  function change(inode: Inode, data: Buffer): void {
    inode.data = data
    inode.mtimeUs = inode.ctimeUs = tick()
  }
  function rewrite(path: string, content: string): void {
    const inode = names.get(path)
    if (inode === undefined) replace(path, content)
    else change(inode, Buffer.from(content))
  }
  function truncate(path: string): void {
    const inode = names.get(path)
    if (inode !== undefined) change(inode, Buffer.alloc(0))
  }
  function replace(path: string, content: string): void {
    const inode = make('file')
    change(inode, Buffer.from(content))
    add(path, inode)
  }

  function statOf(inode: Inode): FileStat {
    const { kind, ino, mtimeUs, ctimeUs } = inode
    return {
      kind,
      ino,
      size: inode.data.length,
      mtimeMs: (mtimeUs + 0.5) / 1000,
      ctimeMs: (ctimeUs + 0.5) / 1000,
    }
  }

  function fsOps(gate: Gate): FsOps {
    const reads = (op: string, ...paths: string[]) =>
      gate({ op: `${op} ${paths.join(' ')}`, reads: paths, writes: [] })
    const writes = (op: string, ...paths: string[]) =>
      gate({ op: `${op} ${paths.join(' ')}`, reads: [], writes: [...paths, ...paths.map(contentsOf)] })
    return {
      now: () => disk.now,
      async sleep(ms) {
        await gate({ op: `sleep ${ms}`, reads: [], writes: ['clock'] })
        disk.now += Math.ceil(ms)
      },
      async lstat(path) {
        await reads('lstat', path)
        const inode = names.get(path)
        return inode === undefined ? undefined : statOf(inode)
      },
      async readlink(path) {
        await reads('readlink', path)
        const inode = names.get(path)
        return inode?.kind === 'link' ? inode.text : undefined
      },
      async readdir(path) {
        await gate({ op: `readdir ${path}`, reads: [`${path}/*`], writes: [] })
        if (names.get(path)?.kind !== 'folder') return undefined
        const found = [...names].filter(([name]) => parentOf(name) === path && name !== '/b')
        return found.map(([name, { kind }]) => ({ name: name.slice(path.length + 1), kind }))
      },
      realpath: (path) => path,
      async mkdir(path) {
        await writes('mkdir', path)
        if (names.has(path)) return false
        add(path, make('folder'))
        return true
      },
      async link(from, to) {
        await writes('link', from, to)
        if (names.has(to)) return false
        const inode = get(from)
        inode.ctimeUs = tick()
        add(to, inode)
        return true
      },
      async symlink(text, path) {
        await writes('symlink', path)
        if (names.has(path)) return false
        add(path, make('link', text))
        return true
      },
      async rename(from, to) {
        await writes('rename', from, to)
        const inode = names.get(from)
        if (inode === undefined) return false
        add(to, inode)
        names.delete(from)
        inode.ctimeUs = tick()
        return true
      },
      async unlink(path) {
        await writes('unlink', path)
        return names.delete(path)
      },
      async rmdir(path) {
        await writes('rmdir', path)
        if (names.get(path)?.kind !== 'folder') return false
        for (const name of names.keys()) if (parentOf(name) === path) return false
        return names.delete(path)
      },
      async create(path) {
        await writes('create', path)
        if (names.has(path)) return undefined
        const inode = make('file')
        add(path, inode)
        return writable(path, inode, gate)
      },
      async open(path) {
        await reads('open', path)
        const inode = names.get(path)
        return inode?.kind === 'file' ? readable(path, inode, gate) : undefined
      },
      async syncFolder(path) {
        await gate({ op: `sync ${path}`, reads: [], writes: [] })
        for (const name of durableNames.keys())
          if (parentOf(name) === path && !names.has(name)) durableNames.delete(name)
        for (const [name, inode] of names) if (parentOf(name) === path) durableNames.set(name, inode)
      },
    }
  }

  /** No other actor knows a file that is being written, so these wait for no one; but power may be cut between them. */
  function writable(path: string, inode: Inode, gate: Gate): WritableFile {
    const own = (op: string) => gate({ op: `${op} ${path}`, reads: [], writes: [] })
    return {
      async write(bytes) {
        await own('write')
        change(inode, Buffer.concat([inode.data, bytes]))
      },
      async setTime(microseconds) {
        await own('time')
        inode.mtimeUs = microseconds
      },
      async sync() {
        await own('fsync')
        inode.durable = { data: inode.data, mtimeUs: inode.mtimeUs }
      },
      stat: () => statOf(inode),
      close: () => {},
    }
  }

  function readable(path: string, inode: Inode, gate: Gate): ReadableFile {
    return {
      async stat() {
        await gate({ op: `fstat ${path}`, reads: [path], writes: [] })
        return statOf(inode)
      },
      async read(into, position) {
        await gate({ op: `read ${path}`, reads: [path], writes: [] })
        return inode.data.copy(into, 0, position)
      },
      close: () => {},
    }
  }

  function copy(): Disk {
    const other = memoryDisk(inodes)
    other.now = disk.now
    const copies = new Map([...names.values()].map((inode) => [inode, { ...inode }]))
    for (const [path, inode] of names) other.names.set(path, copies.get(inode) ?? inode)
    return other
  }

  function cutPower(keeps: (path: string) => boolean): Disk {
    const after = memoryDisk(inodes)
    after.now = disk.now
    const copies = new Map<Inode, Inode>()
    const all = [...new Set([...names.keys(), ...durableNames.keys()])].toSorted()
    for (const path of all) {
      const kept =
        names.get(path) === durableNames.get(path) || !keeps(path) ? durableNames.get(path) : names.get(path)
      if (kept === undefined || path === '/b' || after.names.get(parentOf(path))?.kind !== 'folder') continue
      const data = kept.durable?.data ?? Buffer.alloc(0)
      const copy = copies.get(kept) ?? { ...kept, data, mtimeUs: kept.durable?.mtimeUs ?? kept.mtimeUs }
      copies.set(kept, copy)
      after.names.set(path, { ...copy, durable: { data: copy.data, mtimeUs: copy.mtimeUs } })
    }
    return after
  }
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}

function contentsOf(path: string): string {
  return `${parentOf(path)}/*`
}

function fault(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code })
}
