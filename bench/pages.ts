import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { systemClock } from '../src/base/clock.ts'
import { randomIds } from '../src/base/ids.ts'
import { silentLog } from '../src/base/log.ts'
import { openMemoryBucket } from '../src/bucket/adapters/memory.ts'
import {
  createHttpFace,
  createLongAnswers,
  createMetrics,
  defaultLimits,
  openGuard,
  openWebFace,
} from '../src/entry/http/index.ts'
import { createServices } from '../src/wire/services.ts'
import { startChromium } from '../test/peers/chromium.ts'
import { alice } from '../test/support/caller.ts'
import { push, stateText } from '../test/support/state.ts'
import { type GraphRow, estate, fill, median, openControl, timesAsync, withOutput } from './graph.ts'

/** The page of a large estate: on the server, on the way, and in a browser. */
export async function run(units = 10_000, isQuick = false): Promise<GraphRow[]> {
  const facts = estate(units)
  // Some outputs changed, so that the map has all kinds of squares.
  for (let i = units - 900; i < units; i += 10) facts.splice(i, 1, withOutput(facts[i], 'changed'))
  const bucket = openMemoryBucket()
  await fill(bucket, facts)
  const control = await openControl(bucket)
  const other = await openControl(bucket)
  const longAnswers = createLongAnswers(defaultLimits)
  const deps = {
    control,
    ...createServices({ bucket, clock: systemClock, ids: randomIds, control }),
    longAnswers,
    guard: openGuard(),
    limits: defaultLimits,
    metrics: createMetrics('bench'),
    log: silentLog,
    clock: systemClock,
    ids: randomIds,
    about: { version: 'bench', bucket: { kind: 'memory', label: 'memory:' } },
    ready: () => Promise.resolve(),
  }
  const { signIn: _, ...shared } = deps
  const face = createHttpFace({ ...deps, faces: [await openWebFace({ ...shared, auth: 'none' })] })
  await new Promise<void>((resolve) => face.server.listen(0, '127.0.0.1', resolve))
  const address = face.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  try {
    const rounds = isQuick ? 3 : 9
    return [
      ...(await onServer(port, isQuick ? 5 : 25)),
      ...(await inBrowser(port, { control, other }, rounds)),
    ]
  } finally {
    await face.close(0)
    await other.close()
    await control.close()
  }
}

const MAP = '/app/default'
const TABLE = '/app/default?view=table&search=unit-1&sort=-status'

async function onServer(port: number, rounds: number): Promise<GraphRow[]> {
  const first = await download(port, MAP)
  const assets = [...first.text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => String(path))
  let bytes = first.bytes
  for (const path of assets) bytes += (await download(port, path)).bytes
  const map = await timesAsync(rounds, () => download(port, MAP))
  const table = await timesAsync(rounds, () => download(port, TABLE))
  return [
    { name: 'page of the estate, warm (median)', value: median(map), unit: 'ms', limit: 300 },
    { name: 'page of the estate with all its files, as sent', value: bytes, unit: 'bytes', limit: 500_000 },
    { name: 'table of it, filtered and sorted (median)', value: median(table), unit: 'ms', limit: 100 },
  ]
}

type Control = Parameters<typeof push>[0]

/** `control`: of the server that the browser talks to. `other`: of a second server on the same bucket. */
async function inBrowser(
  port: number,
  { control, other }: { readonly control: Control; readonly other: Control },
  rounds: number,
): Promise<GraphRow[]> {
  const browser = await startChromium()
  if (browser === undefined) return []
  const changing = (through: string) => Array.from({ length: rounds }, (_, i) => `bench/${through}-${i}`)
  for (const name of [...changing('same'), ...changing('other')])
    await control.units.create({ org: 'default', name }, alice)
  try {
    const page = await browser.newPage()
    const opened = await timesAsync(rounds, () => openMap(page, port))
    await page.locator('html[data-is-live]').waitFor()
    const untilColoured = async (through: Control, names: readonly string[]): Promise<number> => {
      const times: number[] = []
      for (const name of names) {
        const started = performance.now()
        await push(through, name, stateText(1))
        await page.locator(`.cells a.look-ok[href$="unit=${name}"]`).waitFor({ state: 'attached' })
        times.push(performance.now() - started)
      }
      return Math.max(...times)
    }
    return [
      {
        name: 'map in a browser, until it can be used (median)',
        value: median(opened),
        unit: 'ms',
        limit: 2000,
      },
      {
        name: 'from a write to its colour on an open map (most)',
        value: await untilColoured(control, changing('same')),
        unit: 'ms',
        limit: 1500,
      },
      {
        name: 'the same, written through another server (most)',
        value: await untilColoured(other, changing('other')),
        unit: 'ms',
        limit: 1500,
      },
    ]
  } finally {
    await browser.close()
  }
}

/** Until a square can be reached with the keyboard, which the script arranges at its end. */
async function openMap(page: Page, port: number): Promise<void> {
  await page.goto(`http://127.0.0.1:${port}${MAP}`, { waitUntil: 'commit' })
  await page.locator('.cells a[tabindex="0"]').waitFor()
}

function download(port: number, path: string): Promise<{ readonly bytes: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { accept: 'text/html', 'accept-encoding': 'gzip' }
    const call = request({ host: '127.0.0.1', port, path, headers }, (reply) => {
      const parts: Buffer[] = []
      reply.on('data', (part: Buffer) => parts.push(part))
      reply.on('error', reject)
      reply.on('end', () => {
        if (reply.statusCode !== 200) return reject(new Error(`${path} answered ${reply.statusCode}`))
        const bytes = Buffer.concat(parts)
        const isSmall = reply.headers['content-encoding'] === 'gzip'
        resolve({ bytes: bytes.length, text: String(isSmall ? gunzipSync(bytes) : bytes) })
      })
    })
    call.on('error', reject)
    call.end()
  })
}
