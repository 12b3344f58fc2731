import { answerRequests } from '../answering.ts'
import { makeState } from '../fixtures.ts'
import { startReaders } from '../load-mixed.ts'
import { type PatchedState, patchedState } from '../patched-state.ts'
import { type Answered, openRaw, type RawConnection } from '../raw-http.ts'
import type { Slice } from '../slices.ts'

/** The load generator: in its own process, on bare sockets, with separate units per connection. */
export interface Load {
  readonly port: number
  readonly paths: readonly string[]
  readonly connections: number
  readonly ms: number
  /** Sent with every GET. */
  readonly token?: string
}

export interface WriteLoad extends Load {
  readonly bytes: number
  readonly doing: 'post' | 'cycle'
}

const connections = new Map<number, RawConnection[]>()
const states = new Map<string, PatchedState>()

async function connected(port: number, count: number): Promise<readonly RawConnection[]> {
  const open = (connections.get(port) ?? []).filter((connection) => connection.isOpen())
  connections.set(port, open)
  while (open.length < count) open.push(await openRaw(port))
  return open.slice(0, count)
}

/** Every connection goes round its own paths until the time is up. */
async function during(
  { port, paths, connections: count, ms }: Load,
  once: (connection: RawConnection, path: string) => Promise<void>,
): Promise<Slice> {
  const open = await connected(port, count)
  const started = performance.now()
  const done = await Promise.all(
    open.map(async (connection, n) => {
      const own = paths.filter((_, i) => i % open.length === n)
      let i = 0
      for (; own.length > 0 && performance.now() - started < ms; i++)
        await once(connection, own[i % own.length] ?? '')
      return i
    }),
  )
  return { count: done.reduce((sum, n) => sum + n, 0), ms: performance.now() - started }
}

function headOf(method: string, path: string, bytes?: number, token?: string): string {
  const credential = token === undefined ? '' : `\r\nAuthorization: Bearer ${token}`
  const length = bytes === undefined ? '' : `\r\nContent-Type: application/json\r\nContent-Length: ${bytes}`
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1${credential}${length}`
}

async function expectOk(answer: Promise<Answered>): Promise<Answered> {
  const got = await answer
  if (got.status !== 200) throw new Error(`the server said ${got.status}: ${got.text.slice(0, 500)}`)
  return got
}

function stateFor(path: string, bytes: number): PatchedState {
  const key = `${path} ${bytes}`
  const state = states.get(key) ?? patchedState(bytes, states.size + 1)
  states.set(key, state)
  return state
}

async function post(connection: RawConnection, path: string, bytes: number): Promise<void> {
  const state = stateFor(path, bytes).next()
  await expectOk(connection.send(headOf('POST', `${path}?ID=${lockIdOf(path)}`, state.length), state))
}

async function locking(
  connection: RawConnection,
  method: 'LOCK' | 'UNLOCK',
  path: string,
  id: string,
): Promise<void> {
  const info = Buffer.from(
    JSON.stringify({
      ID: id,
      Operation: 'OperationTypeApply',
      Info: '',
      Who: 'someone@somewhere',
      Version: '1.12.6',
      Created: '2026-01-02T03:04:05.678901234Z',
      Path: '',
    }),
  )
  await expectOk(connection.send(headOf(method, path, info.length), info))
}

let cycles = 0
const lockIds = new Map<string, string>()
const lockIdOf = (path: string): string => lockIds.get(path) ?? ''
const newLockId = (): string => `00000000-0000-4000-9000-${String(++cycles).padStart(12, '0')}`

async function lock(connection: RawConnection, path: string): Promise<void> {
  lockIds.set(path, newLockId())
  await locking(connection, 'LOCK', path, lockIdOf(path))
}

async function once(
  load: Load,
  each: (connection: RawConnection, path: string) => Promise<void>,
): Promise<void> {
  const open = await connected(load.port, load.connections)
  await Promise.all(
    open.map(async (connection, n) => {
      for (const path of load.paths.filter((_, i) => i % open.length === n)) await each(connection, path)
    }),
  )
}

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1 << 20) yield bytes.subarray(at, at + (1 << 20))
}

async function cycle(connection: RawConnection, path: string, bytes: number): Promise<void> {
  await lock(connection, path)
  await post(connection, path, bytes)
  await locking(connection, 'UNLOCK', path, lockIdOf(path))
}

const handlers = {
  /** Makes the states now, which takes longer than sending them. */
  prepare: async ({
    paths,
    bytes,
  }: {
    readonly paths: readonly string[]
    readonly bytes: number
  }): Promise<void> => {
    for (const path of paths) stateFor(path, bytes)
  },
  get: (load: Load): Promise<Slice> =>
    during(load, async (connection, path) => {
      await expectOk(connection.send(headOf('GET', path, undefined, load.token)))
    }),
  write: (load: WriteLoad): Promise<Slice> =>
    during(load, async (connection, path) => {
      await (load.doing === 'cycle' ? cycle : post)(connection, path, load.bytes)
    }),
  /** Writes, lists and event streams together. */
  mixed: async (load: Load & { readonly bytes: number; readonly streams: number }) => {
    const readers = startReaders(load.port, load.streams)
    const written = await during(load, (connection, path) => cycle(connection, path, load.bytes))
    return { ...written, ...(await readers.stop()) }
  },
  /** A first state for every path, each under its own lock. */
  fill: (load: Load & { readonly bytes: number }): Promise<void> =>
    once(load, (connection, path) => cycle(connection, path, load.bytes)),
  lockAll: (load: Load): Promise<void> => once(load, lock),
  unlockAll: (load: Load): Promise<void> =>
    once(load, (connection, path) => locking(connection, 'UNLOCK', path, lockIdOf(path))),
  /** One large state up and down; milliseconds of each. */
  large: async (load: Load & { readonly bytes: number }): Promise<{ upMs: number; downMs: number }> => {
    const [connection] = await connected(load.port, 1)
    const [path] = load.paths
    if (connection === undefined || path === undefined) throw new Error('There is nothing to unlock.')
    const state = makeState({ bytes: load.bytes })
    const started = performance.now()
    await expectOk(connection.send(headOf('POST', path, state.length), pieces(state)))
    const upMs = performance.now() - started
    const { bytes } = await expectOk(connection.send(headOf('GET', path)))
    if (bytes !== state.length) throw new Error(`${state.length} bytes went up, ${bytes} came down`)
    return { upMs, downMs: performance.now() - started - upMs }
  },
  /** The whole listing, page by page. */
  listUnits: async ({ port }: { readonly port: number }): Promise<{ ms: number; pages: number }> => {
    const [connection] = await connected(port, 1)
    const started = performance.now()
    let cursor = ''
    let pages = 0
    for (; connection !== undefined && (pages === 0 || cursor !== ''); pages++) {
      const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const page = await fetch(`http://127.0.0.1:${port}/v1/units?limit=1000${query}`)
      const answer = (await page.json()) as { next?: string | null }
      cursor = answer.next ?? ''
    }
    return { ms: performance.now() - started, pages }
  },
  disconnect: async ({ port }: { readonly port: number }): Promise<void> => {
    for (const connection of connections.get(port) ?? []) connection.close()
    connections.delete(port)
  },
}
export type LoadHandlers = typeof handlers
answerRequests(handlers)
