import { expect, onTestFinished, test } from 'vitest'
import { startHookReceiver } from '../peers/hook-receiver.ts'
import { startFace } from '../rig/http-face.ts'
import { testWorld } from '../support/cli.ts'

const rootToken = '0123456789abcdef'.repeat(4)

async function open() {
  const face = await startFace({ ssoRootToken: rootToken })
  async function taco(...args: readonly string[]) {
    const env = { TACO_SERVER: `http://127.0.0.1:${face.port}`, TACO_TOKEN: rootToken, SIGN: 's3cret' }
    const world = testWorld({ now: Date.now, env })
    onTestFinished(world.dispose)
    const code = await world.run(...args)
    return { code, out: world.out(), err: world.err() }
  }
  async function must(...args: readonly string[]): Promise<string> {
    const { code, out, err } = await taco(...args)
    expect(code, err).toBe(0)
    return out
  }
  return { taco, must }
}

test('notifications are created, tested, shown, disabled and deleted', async () => {
  const { taco, must } = await open()
  const receiver = await startHookReceiver()
  await must('unit', 'create', 'prod/vpc')

  const options = [
    '--unit',
    'prod/vpc',
    '--trigger',
    'state:changed',
    '--trigger',
    'lock:held',
    '--token-env',
    'SIGN',
  ]
  const created = await must('notification', 'create', '--name', 'hook', '--url', receiver.url, ...options)
  const id = /^created (nc-\w+) \(hook\)\n$/.exec(created)?.[1] ?? ''
  expect(receiver.got[0]?.headers['x-tfe-notification-signature']).toMatch(/^[0-9a-f]{128}$/)
  const listed = await must('notification', 'ls', '--unit', 'prod/vpc')
  expect(listed).toMatch(new RegExp(`${id} +hook +ws-\\w+ +generic +state:changed, lock:held +yes`))
  expect(await must('notification', 'test', id)).toBe('the destination accepted a test (200)\n')
  expect(await must('notification', 'show', id)).toMatch(/signed: +yes[^]*verification +200/)
  expect(await must('notification', 'disable', id)).toBe(`disabled ${id}\n`)
  receiver.answer.status = 500
  const refused = await taco('notification', 'enable', id)
  expect([refused.code, refused.err]).toEqual([
    expect.any(Number),
    expect.stringContaining('did not accept a test'),
  ])
  expect(await must('notification', 'rm', id)).toBe(`deleted ${id}\n`)
  expect(await must('notification', 'ls', '--json')).toBe('{"items":[]}\n')
})

test('e-mail, and what is wrong', async () => {
  const { taco, must } = await open()
  const create = ['notification', 'create', '--name', 'mail', '--trigger']
  expect(await must(...create, 'rollout:failed', '--email', 'ops@example.com')).toMatch(/^created nc-/)
  for (const [args, said] of [
    [[...create, 'state:change', '--email', 'ops@example.com'], 'state:changed'],
    [[...create, 'state:changed', '--email', 'nobody'], 'not an e-mail address'],
    [[...create, 'state:changed'], 'needs one destination'],
    [[...create, 'state:changed', '--url', 'http://x', '--email', 'a@b.cd'], 'needs one destination'],
    [[...create, 'state:changed', '--email', 'a@b.cd', '--unit', 'u', '--team', 't'], 'one scope'],
    [[...create, 'state:changed', '--email', 'a@b.cd', '--project', 'nope'], 'no project nope'],
    [[...create, 'state:changed', '--url', 'http://x', '--token-env', 'NOPE'], 'NOPE is empty'],
  ] as const) {
    const { code, err } = await taco(...args)
    expect([code, err]).toEqual([expect.any(Number), expect.stringContaining(said)])
    expect(code).not.toBe(0)
  }
})
