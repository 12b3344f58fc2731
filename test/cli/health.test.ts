import { expect, onTestFinished, test } from 'vitest'
import { startFace } from '../rig/http-face.ts'
import { testWorld } from '../support/cli.ts'
import { push, stateText } from '../support/state.ts'

async function open() {
  const face = await startFace()
  async function taco(...args: readonly string[]) {
    const world = testWorld({ now: Date.now, env: { TACO_SERVER: `http://127.0.0.1:${face.port}` } })
    onTestFinished(world.dispose)
    const code = await world.run(...args)
    return { code, out: world.out(), err: world.err() }
  }
  return { face, taco }
}

test('doctor starts a check in the background, and shows what the last one found', async () => {
  const { face, taco } = await open()
  await push(face.deps.control, 'prod/vpc', stateText(1))
  expect((await taco('doctor', '--last')).out).toContain('was not checked in the background yet')

  const started = await taco('doctor', '--deep', '--background')
  expect([started.code, started.out]).toEqual([0, expect.stringContaining('the check has started')])
  await expect.poll(async () => (await taco('doctor', '--last')).out).toMatch(/no problems found/)
  const { out } = await taco('doctor', '--last')
  expect(out).toMatch(/ok +A second creation was refused\./)
  expect(out).toMatch(/checked just now on \S+: 1 unit\n/)
  expect(JSON.parse((await taco('doctor', '--last', '--json')).out)).toMatchObject({
    check: { state: 'done', options: { deep: true, repair: false }, report: { checked: 1 } },
  })
  expect((await taco('doctor', '--last', '--deep')).err).toContain('Leave out --deep and --repair.')
})

test('an error that was found is in the exit code, and so is the organization in the findings', async () => {
  const { face, taco } = await open()
  const found = { check: 'unit.x', message: 'It is broken.', hint: 'Mend it.', unit: 'prod/vpc' }
  Object.assign(face.deps.control.upkeep, {
    doctor: async function* () {
      yield await Promise.resolve({ ...found, level: 'error', org: 'default', repaired: false })
    },
  })
  await taco('doctor', '--background')
  await expect.poll(async () => (await taco('doctor', '--last')).code).toBe(7)
  expect((await taco('doctor', '--last')).out).toMatch(/error +prod\/vpc: It is broken\.\n +→ Mend it\./)
  expect((await taco('doctor', '--json')).out).toContain('"org":"default"')
})

test('without a server nothing runs in the background', async () => {
  const { taco } = await open()
  const refused = await taco('--bucket', 'memory:', 'doctor', '--background')
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('needs a server')])
})
