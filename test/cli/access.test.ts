import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemCaller } from '../../src/access/index.ts'
import { startFace } from '../rig/http-face.ts'
import { testWorld } from '../support/cli.ts'

const rootToken = '0123456789abcdef'.repeat(4)

/** A server on which people can sign in, with alice, and a command line that has the root token. */
async function open() {
  const face = await startFace({ ssoRootToken: rootToken })
  await face.deps.signIn?.people.signIn(
    {
      provider: 'okta',
      subject: '1',
      login: 'alice',
      email: { address: 'alice@example.com', isVerified: true },
      groups: ['ops'],
    },
    systemCaller('opentaco'),
  )
  const first = testWorld()
  onTestFinished(first.dispose)
  async function taco(...args: readonly string[]) {
    const env = { TACO_SERVER: `http://127.0.0.1:${face.port}`, TACO_TOKEN: rootToken, SECRET: 's3cret' }
    const world = testWorld({ cwd: first.cwd, now: Date.now, env })
    onTestFinished(world.dispose)
    const code = await world.run(...args)
    return { code, out: world.out(), err: world.err() }
  }
  async function must(...args: readonly string[]): Promise<string> {
    const { code, out, err } = await taco(...args)
    expect(code, err).toBe(0)
    return out
  }
  async function json(...args: readonly string[]): Promise<unknown> {
    return JSON.parse(await must(...args, '--json'))
  }
  const write = (name: string, text: string) => writeFileSync(join(first.cwd, name), text)
  return { taco, must, json, write }
}

test('teams are created, changed, filled and deleted', async () => {
  const { taco, must, json } = await open()

  expect(await must('team', 'create', 'ops', '--group', 'okta/ops', '--description', 'on call')).toMatch(
    /^created ops \(team-\w+\)\n$/,
  )
  expect(await must('team', 'add', 'ops', 'alice')).toBe('added alice to ops, which has 1 member\n')
  expect(await must('team', 'ls')).toMatch(/^TEAM .*\nops +1 +okta\/ops +on call\n$/)
  expect(await must('team', 'set', 'ops', '--name', 'sre', '--group', 'okta/a', '--group', 'okta/b')).toMatch(
    /team: +sre\n.*\n.*on call\nmembers: +alice\ngroups: +okta\/a, okta\/b\n/,
  )
  expect(await json('team', 'set', 'sre', '--no-groups')).toMatchObject({ name: 'sre', groups: [] })
  expect(await must('team', 'remove', 'sre', 'user:alice')).toContain('which has 0 members')

  expect((await taco('team', 'set', 'sre')).err).toContain('No change was given')
  expect((await taco('team', 'set', 'sre', '--group', 'okta/a', '--no-groups')).code).toBe(2)
  expect((await taco('team', 'create', 'other', '--group', 'ops')).err).toContain('<provider>/<group>')
  expect((await taco('team', 'rm', 'sre')).err).toContain('--yes')
  expect(await must('team', 'rm', 'sre', '--yes')).toBe('deleted sre\n')
  expect((await taco('team', 'show', 'sre')).code).toBe(3)
})

test('a role comes from a file, is shown in words, given and taken away', async () => {
  const { taco, must, json, write } = await open()
  write('freeze.yaml', 'rules:\n  - { effect: deny, actions: [state:write], units: [prod/**] }\n')
  write('wrong.yaml', 'rules:\n  - { effect: deny, actions: [state:wriet] }\n')
  await must('team', 'create', 'ops')

  expect(await must('role', 'put', 'freeze', '-f', 'freeze.yaml')).toBe('stored freeze with 1 rule\n')
  expect(await must('role', 'show', 'freeze')).toBe(
    'role: freeze (custom)\n  may not write states on prod/**\n',
  )
  expect(await must('role', 'show', 'reader')).toContain('(built-in)')
  expect(await must('role', 'ls')).toMatch(/\nfreeze +custom +1/)
  const wrong = await taco('role', 'put', 'freeze', '-f', 'wrong.yaml')
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringMatching(/^error: wrong\.yaml:2:\d+: /)])
  for (const args of [
    ['put', 'x'],
    ['put', 'x', '-f', 'gone'],
    ['put', 'reader', '-f', 'freeze.yaml'],
  ])
    expect((await taco('role', ...args)).code).toBe(2)
  expect((await taco('role', 'show', 'x')).code).toBe(3)

  expect(await must('access', 'grant', 'freeze', '--to', 'team:ops')).toBe('granted freeze to team:ops\n')
  expect(await must('access', 'grant', 'reader', '--to', 'alice', '--unit', 'dev/**', '--unit', 'x')).toBe(
    'granted reader to user:alice on dev/**, x\n',
  )
  expect(await must('access', 'ls')).toMatch(
    /^WHO +ROLE +UNITS\nteam:ops +freeze +all\nuser:alice +reader +dev\/\*\*, x\n$/,
  )
  expect((await taco('role', 'rm', 'freeze')).code).toBe(4)
  expect((await taco('access', 'grant', 'reader')).err).toContain('--to is missing')
  expect((await taco('access', 'grant', 'raeder', '--to', 'everyone')).err).toContain('Did you mean reader?')
  expect((await taco('access', 'grant', 'reader', '--to', 'bob')).code).toBe(3)
  expect((await taco('access', 'revoke', 'reader', '--from', 'alice', '--unit', 'x')).code).toBe(3)
  expect(await must('access', 'revoke', 'reader', '--from', 'alice', '--unit', 'x', '--unit', 'dev/**')).toBe(
    'revoked reader from user:alice on x, dev/**\n',
  )
  await must('access', 'revoke', 'freeze', '--from', 'team:ops')
  expect(await json('access', 'ls')).toEqual({ items: [] })
  expect(await must('role', 'rm', 'freeze')).toBe('deleted freeze\n')
})

test('units are guarded, and the glass is broken for a while', async () => {
  const { taco, must, json } = await open()
  await must('unit', 'create', 'prod/app')

  expect(await must('guard', 'set', 'prod/**', '--reason', 'only through review', 'x')).toMatch(
    /^guarded prod\/\*\*, x \(guard-\w+\)\n$/,
  )
  expect((await taco('guard', 'set', 'x', 'prod/**')).code).toBe(4)
  await must('guard', 'set', '--all')
  expect(await must('guard', 'break', 'prod/app', '--reason', 'on fire', '--for', '5m')).toMatch(
    /^token:root may write prod\/app until 20\S+Z\n$/,
  )
  const listed = await must('guard', 'ls')
  expect(listed).toMatch(/guard-\w+ +prod\/\*\*, x +only through review +just now +token:root\n/)
  expect(listed).toMatch(/guard-\w+ +all /)
  expect(listed).toMatch(/\nprod\/app: token:root may write until \S+ \(on fire\)\n$/)

  const { items } = (await json('guard', 'ls')) as { readonly items: readonly { readonly id: string }[] }
  for (const { id } of items) expect(await must('guard', 'end', id)).toBe(`ended ${id}\n`)
  for (const args of [
    ['set'],
    ['set', 'x', '--all'],
    ['break', 'prod/app'],
    ['break', 'prod/app', '--reason', ' '],
  ])
    expect((await taco('guard', ...args)).code).toBe(2)
  expect((await taco('guard', 'break', 'prod/app', '--reason', 'r', '--for', '9h')).err).toContain(
    '1m and 8h',
  )
})

test('teams, roles, people and providers are completed', async () => {
  const { must, write } = await open()
  write('gh.yaml', 'kind: github\nlabel: GitHub\nclientId: x\nclientSecretEnv: SECRET\n')
  await must('team', 'create', 'ops')
  await must('provider', 'put', 'gh', '-f', 'gh.yaml')

  for (const [line, word] of [
    ['team show o', 'ops'],
    ['access grant oper', 'operator'],
    ['team add ops a', 'alice'],
    ['provider check g', 'gh'],
  ] as const)
    expect(await must('__complete', '--', ...line.split(' '))).toBe(`${word}\t\n`)
})

test('people are listed, suspended and signed out', async () => {
  const { taco, must, json } = await open()

  expect(await must('person', 'ls')).toMatch(/\nalice +alice@example\.com +okta +just now +active\n$/)
  expect(await must('person', 'suspend', 'alice')).toBe('suspended alice\n')
  expect(await must('person', 'show', 'user:alice')).toMatch(/groups: +okta\/ops\n[^]*status: +suspended\n$/)
  expect(await must('person', 'resume', 'alice')).toBe('resumed alice\n')
  expect(await must('person', 'sign-out', 'alice')).toBe('ended all sessions of alice\n')
  expect(await json('person', 'ls')).toMatchObject({ items: [{ isSuspended: false }], damaged: 0 })
  expect((await taco('person', 'show', 'bob')).code).toBe(3)
})

test('providers are stored with a secret from the environment, and removed', async () => {
  const { taco, must, json, write } = await open()
  write('gh.yaml', 'kind: github\nlabel: GitHub\nclientId: x\nclientSecretEnv: SECRET\n')
  write('wrong.yaml', 'kind: github\nlabel: GitHub\nclientSecretEnv: NOT_SET\n')

  expect(await must('provider', 'put', 'gh', '-f', 'gh.yaml')).toBe('stored gh (github)\n')
  expect(await must('provider', 'ls')).toMatch(/\ngh +github +GitHub +just now +token:root\n$/)
  expect(JSON.stringify(await json('provider', 'ls'))).not.toContain('s3cret')
  const wrong = await taco('provider', 'put', 'gh', '-f', 'wrong.yaml')
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('NOT_SET is not set')])
  expect((await taco('provider', 'check', 'gone')).code).toBe(3)
  expect((await taco('provider', 'rm', 'gh')).code).toBe(2)
  expect(await must('provider', 'rm', 'gh', '--yes')).toBe('removed gh\n')
})

test('the root token cannot switch itself off: an address with a typing mistake would be left', async () => {
  const { taco, must, json } = await open()

  expect((await taco('server', 'settings', '--root-token', 'off')).err).toContain('taco server admin add')
  expect((await taco('server', 'settings', '--root-token', 'no')).code).toBe(2)
  expect(await must('server', 'admin', 'add', 'alice')).toMatch(/administrators: +user:alice\n/)
  expect(await must('server', 'settings', '--org-creators', 'everyone')).toMatch(/created by: +everyone\n/)
  await must('server', 'admin', 'add', 'email:Bob@example.com')
  expect(await json('server', 'admin', 'rm', 'alice')).toMatchObject({
    administrators: ['email:bob@example.com'],
  })
  expect(await must('server', 'settings')).toMatch(/root token: +on\n/)
  const refused = await taco('server', 'settings', '--root-token', 'off')
  expect([refused.code, refused.err]).toEqual([5, expect.stringContaining('who has signed in')])
  expect(await must('server', 'settings')).toMatch(/root token: +on\n/)
})

test('a role is given in one project, by its name, and taken away again', async () => {
  const { taco, must } = await open()
  await must('project', 'create', 'shop')

  expect(await must('access', 'grant', 'reader', '--to', 'alice', '--project', 'shop')).toBe(
    'granted reader to user:alice in the project shop\n',
  )
  expect(await must('access', 'ls')).toMatch(/user:alice +reader +of prj-\w+\n/)
  expect((await taco('access', 'grant', 'reader', '--to', 'alice', '--project', 'none')).code).toBe(3)
  expect(await must('access', 'revoke', 'reader', '--from', 'alice', '--project', 'shop')).toContain(
    'in the project shop',
  )
  expect(await must('access', 'ls')).not.toContain('alice')
})
