import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type TestWorld, testWorld } from '../support/cli.ts'
import { openEmbedded } from '../../src/wire/embed.ts'

/** Over one folder as bucket, without a server. */
function shell(): (...args: readonly string[]) => Promise<{ code: number; out: string; err: string }> {
  const first = testWorld()
  onTestFinished(first.dispose)
  const env = { TACO_BUCKET: join(first.cwd, 'bucket') }
  return async (...args) => {
    const world: TestWorld = testWorld({ openEmbedded, now: Date.now, cwd: first.cwd, env: { ...env } })
    onTestFinished(world.dispose)
    const code = await world.run(...args)
    return { code, out: world.out(), err: world.err() }
  }
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

test.each([
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
