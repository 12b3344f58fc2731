/**
 * `npm run bench [-- --only a,b --store s3 --quick]`: prints a table and writes it as JSON. A figure is a ratio within this
 * run wherever it can be; a slow machine slows both sides. Nothing here fails because of a timing.
 */
import { parseArgs } from 'node:util'
import { access } from './access.ts'
import { run as measureStarts } from './cli.ts'
import { cloud } from './cloud.ts'
import { run as measureGraph } from './graph.ts'
import { growth } from './growth.ts'
import { run as measureInputs } from './inputs.ts'
import { listing } from './listing.ts'
import { memory } from './memory.ts'
import { run as measurePages } from './pages.ts'
import { pauses } from './pauses.ts'
import { reads } from './reads.ts'
import { isMet, type Part, printRow, type Row, saveReport } from './report.ts'
import { run as measureRollouts } from './rollout.ts'
import { openSite, type Site, storeKinds } from './site.ts'
import { servers } from './servers.ts'
import { tokens } from './tokens.ts'
import { run as measureVersions } from './versions.ts'
import { workers } from './workers.ts'
import { writes } from './writes.ts'

const parts: Readonly<Record<Part, (site: Site) => AsyncIterable<Row>>> = {
  a: reads,
  b: writes,
  c: versions,
  d: listing,
  e: memory,
  f: growth,
  g: startTimes,
  h: status,
  i: rollouts,
  j: inputs,
  k: pauses,
  l: servers,
  m: workers,
  n: access,
  o: tokens,
  p: pages,
  q: cloud,
}

async function* versions(site: Site): AsyncGenerator<Row> {
  for (const { name, value, unit, limit } of await measureVersions(site.isQuick ? 200 : 1000))
    yield { part: 'c', name, value, unit, ...(limit === undefined ? {} : { goal: { atMost: limit } }) }
}

async function* startTimes(site: Site): AsyncGenerator<Row> {
  yield* await measureStarts(site.isQuick ? 7 : 31)
}

async function* status(site: Site): AsyncGenerator<Row> {
  for (const { name, value, unit, limit } of await measureGraph(10_000, site.isQuick))
    yield { part: 'h', name, value, unit, ...(limit === undefined ? {} : { goal: { atMost: limit } }) }
}

async function* pages(site: Site): AsyncGenerator<Row> {
  for (const { name, value, unit, limit } of await measurePages(10_000, site.isQuick))
    yield { part: 'p', name, value, unit, ...(limit === undefined ? {} : { goal: { atMost: limit } }) }
}

async function* rollouts(site: Site): AsyncGenerator<Row> {
  for (const row of await measureRollouts(200, 2, site.isQuick ? 1 : 3)) yield { part: 'i', ...row }
}

async function* inputs(site: Site): AsyncGenerator<Row> {
  for (const row of await measureInputs(100, site.isQuick ? 3 : 7)) yield { part: 'j', ...row }
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    store: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
})
const only = values.only?.split(',') ?? Object.keys(parts)
const unknown = only.filter((part) => !(part in parts))
if (unknown.length > 0) {
  console.error(`there is no part ${unknown.join(', ')}: choose among ${Object.keys(parts).join(', ')}`)
  process.exit(2)
}
const kinds = storeKinds.filter((kind) => values.store === undefined || values.store === kind)

const rows: Row[] = []
const site = await openSite({ isQuick: values.quick, kinds })
try {
  for (const part of only as Part[]) {
    for await (const row of parts[part](site)) {
      rows.push(row)
      printRow(row)
    }
  }
} finally {
  await site.close()
}
const missed = rows.filter((row) => isMet(row) === false)
console.log(`\n${rows.filter((row) => isMet(row) === true).length} goals met, ${missed.length} missed`)
console.log(`written to ${await saveReport(rows, { only, kinds, quick: values.quick })}`)
