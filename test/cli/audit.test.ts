import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type TestWorld, testWorld } from '../support/cli.ts'
import { systemCaller } from '../../src/access/index.ts'
import { systemClock } from '../../src/base/clock.ts'
import { randomIds } from '../../src/base/ids.ts'
import { silentLog } from '../../src/base/log.ts'
import { openFileBucket } from '../../src/bucket/adapters/file/index.ts'
import { createStateControl } from '../../src/state/index.ts'
import { openEmbedded } from '../../src/wire/embed.ts'

/** Over one folder as bucket, without a server. */
function shell() {
  const first = testWorld()
  onTestFinished(first.dispose)
  const bucket = join(first.cwd, 'bucket')
  async function taco(...args: readonly string[]) {
    const env = { TACO_BUCKET: bucket }
    const world: TestWorld = testWorld({ openEmbedded, now: Date.now, cwd: first.cwd, env })
    onTestFinished(world.dispose)
    const code = await world.run(...args)
    return { code, out: world.out(), err: world.err() }
  }
  return Object.assign(taco, { bucket })
}

test('changes are listed newest first, as a table, JSON lines and CSV', async () => {
  const taco = shell()
  await taco('unit', 'create', 'prod/app')
  await taco('lock', 'prod/app', '--id', 'l')
  await taco('unlock', 'prod/app', '--force')

  const table = (await taco('audit', '--unit', 'prod/app')).out.split('\n')
  expect(table[0]).toMatch(/^TIME +WHO +VIA +ADDRESS +ACTION +ABOUT +RESULT$/)
  expect(table.slice(1, 4).map((line) => /(lock|unit)\.\w+ +prod\/app +done$/.exec(line)?.[0])).toEqual([
    expect.stringContaining('lock.forced'),
    expect.stringContaining('lock.taken'),
    expect.stringContaining('unit.created'),
  ])
  const lines = (await taco('audit', '--action', 'lock*', '--json')).out.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { type: 'lock.forced', action: 'lock', route: 'DELETE /v1/units/{unit}/lock', who: 'alice@laptop' },
    { type: 'lock.taken', result: 'done' },
  ])
  const csv = (await taco('audit', '--since', '1h', '--until', '2100-01-01', '--csv', '-n', '1')).out
  expect(csv.split('\r\n')).toEqual([
    'at,result,type,by,who,via_kind,via_id,via_name,address,action,route,org,unit_id,unit,count,request_id,id',
    expect.stringMatching(/,done,lock\.forced,anonymous,alice@laptop,,,,in-process,lock,.*,prod\/app,1,/),
    '',
  ])
})

/** As a server that runs two hours later does. */
async function sealed(root: string): Promise<void> {
  const bucket = await openFileBucket({ root })
  const clock = { ...systemClock, now: () => Date.now() + 2 * 3_600_000 }
  const spool = { create: () => Promise.reject(new Error('nothing here is large')) }
  const control = await createStateControl({ bucket, clock, ids: randomIds, log: silentLog, spool })
  await control.audit.seal(systemCaller('upkeep'))
  await control.close()
}

test('records that were changed behind the back of every server are found', async () => {
  const taco = shell()
  await taco('unit', 'create', 'prod/app')
  await sealed(taco.bucket)

  const before = await taco('audit', 'verify')
  const [, hash = ''] = /default: 1 seals .*\n +newest hash ([0-9a-f]{64})\n/.exec(before.out) ?? []
  expect([before.code, hash.length]).toEqual([0, 64])
  expect((await taco('audit', 'verify', '--expect', hash, '--since', '1d')).code).toBe(0)
  expect((await taco('audit', 'verify', '--expect', 'f'.repeat(64))).code).toBe(7)

  const files = readdirSync(taco.bucket, { recursive: true }) as string[]
  const victim = files.find((name) => name.includes('/journal/') && name.includes('.ws-')) ?? ''
  const file = join(taco.bucket, victim)
  writeFileSync(file, readFileSync(file, 'utf8').replace('prod/app', 'prod/apq'))
  const after = await taco('audit', 'verify')
  expect(after.code).toBe(7)
  expect(after.out).toContain(`error ${victim.replace(/@\d+$/, '')}: This object was changed`)
  const lines = (await taco('audit', 'verify', '--json')).out.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
    expect.objectContaining({ level: 'error', kind: 'changed', org: 'default' }),
  )
})

test.each([
  [['audit', 'verify', '--since', 'x'], /--since is not a time/],
  [['audit', '--since', 'yesterday'], /--since is not a time: yesterday/],
  [['audit', '--csv', '--json'], /--csv and --json/],
  [['audit', '--result', 'maybe'], /result/],
])('%j is refused', async (args, message) => {
  const taco = shell()
  await taco('unit', 'create', 'a')
  const { code, err } = await taco(...args)

  expect(code).toBe(2)
  expect(err).toMatch(message)
})
