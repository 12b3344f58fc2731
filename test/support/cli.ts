import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { runCli } from '../../src/entry/cli/run.ts'
import type { Screen, Signal, World } from '../../src/entry/cli/world.ts'

/** For tests only: a world in which nothing of the machine shows, with a folder of its own as cwd and home. */
export interface TestWorld extends World {
  readonly env: Record<string, string | undefined>
  out(): string
  err(): string
  signal(signal: Signal): void
  run(...args: readonly string[]): Promise<number>
  dispose(): void
}

export function testWorld(
  changes: Partial<World> & { readonly input?: string; readonly isTerminal?: boolean } = {},
): TestWorld {
  const folder = mkdtempSync(join(tmpdir(), 'taco-cli-'))
  const stdout = collector(changes.isTerminal)
  const stderr = collector(changes.isTerminal)
  const heard = new Set<(signal: Signal) => void>()
  const world: World = {
    env: {},
    cwd: folder,
    home: folder,
    who: 'alice@laptop',
    stdin: Object.assign(Readable.from(changes.input === undefined ? [] : [Buffer.from(changes.input)]), {
      isTTY: false,
    }),
    stdout: stdout.screen,
    stderr: stderr.screen,
    now: () => Date.parse('2026-01-02T03:04:05Z'),
    freeMemory: () => 0,
    version: () => '1.2.3',
    onSignal(listener) {
      heard.add(listener)
      return () => heard.delete(listener)
    },
    goOnUnread: () => {},
    openBrowser: () => Promise.resolve(false),
    openEmbedded: () => Promise.reject(new Error('no bucket in this test')),
    serve: () => Promise.reject(new Error('no server in this test')),
    parsers: async () => ({
      ...(await import('../../src/bucket/index.ts')),
      ...(await import('../../src/state/index.ts')),
    }),
    accessFiles: async () => (await import('../../src/access/index.ts')).accessFiles(),
    packing: () => import('../../src/wire/pack.ts'),
    secretKeys: () => import('../../src/access/index.ts'),
    repository: () => Promise.reject(new Error('no repository in this test')),
    ...changes,
  }
  return {
    ...world,
    out: stdout.text,
    err: stderr.text,
    signal: (signal) => {
      for (const listener of heard) listener(signal)
    },
    run: (...args) => runCli(args, world),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function collector(isTerminal = false): { screen: Screen; text: () => string } {
  const parts: Buffer[] = []
  const screen: Screen = Object.assign(new PassThrough(), { isTTY: isTerminal, columns: 80 })
  screen.on('data', (part: Buffer) => parts.push(part))
  return { screen, text: () => Buffer.concat(parts).toString('utf8') }
}

export interface Heard {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A server that answers as the test says, and remembers what it was asked. */
export interface TestServer {
  readonly url: string
  readonly heard: readonly Heard[]
  close(): Promise<void>
}

export async function testServer(answer: (heard: Heard, res: ServerResponse) => void): Promise<TestServer> {
  const heard: Heard[] = []
  const server = createServer((req, res) => {
    const parts: Buffer[] = []
    req.on('data', (part: Buffer) => parts.push(part))
    req.on('end', () => {
      const one = {
        method: req.method ?? '',
        url: req.url ?? '',
        headers: req.headers,
        body: Buffer.concat(parts).toString('utf8'),
      }
      heard.push(one)
      answer(one, res)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    heard,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export function sendJson(res: ServerResponse, value: unknown, status = 200): void {
  res.writeHead(status, {
    'content-type': status < 400 ? 'application/json' : 'application/problem+json',
    'x-request-id': 'req-test',
  })
  res.end(JSON.stringify(value))
}

export function unitView(
  name: string,
  changes: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    id: 'ws-1111111111111111',
    org: 'default',
    name,
    key: `${name}/terraform.tfstate`,
    description: '',
    labels: {},
    createdAt: '2026-01-01T00:00:00.000Z',
    createdBy: 'root',
    changedAt: '2026-01-01T00:00:00.000Z',
    deleted: null,
    allowDecrypt: false,
    retention: null,
    lock: null,
    state: null,
    outputs: null,
    etag: 'e1',
    ...changes,
  }
}
