import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startOidc } from '../peers/oidc.ts'
import { personalToken, startSignInServer } from '../rig/sign-in-server.ts'
import { runTaco } from '../rig/taco.ts'
import { tempFolder } from '../rig/temp.ts'
import { stateText } from '../support/state.ts'

/** A new server, a real identity provider, and the command line of whoever has the token. */
async function open() {
  const server = await startSignInServer([])
  const peer = await startOidc()
  onTestFinished(() => peer.dispose())
  const folder = await tempFolder()
  const write = (name: string, text: string) => writeFile(join(folder, name), text)
  const as =
    (token: string) =>
    (...args: readonly string[]) =>
      runTaco(args, {
        cwd: folder,
        env: { TACO_SERVER: server.url, TACO_TOKEN: token, PEER_SECRET: peer.clientSecret },
      })
  return { server, peer, write, as, person: async (login: string) => as(await personalToken(server, login)) }
}
type Taco = Awaited<ReturnType<typeof open>>['as'] extends (token: string) => infer T ? T : never

async function must(taco: Taco, ...args: readonly string[]): Promise<string> {
  const { code, output } = await taco(...args)
  expect(code, output).toBe(0)
  return output
}

test('a new server is set up from the root token to a guarded unit, and everyone may do what they should', async () => {
  const { server, peer, write, as, person } = await open()
  const root = as(server.rootToken)

  // The first provider.
  const settings = `kind: oidc\nlabel: Peer\nissuer: ${peer.issuer}\nclientId: ${peer.clientId}\n`
  await write('peer.yaml', `${settings}clientSecretEnv: PEER_SECRET\n`)
  await write('wrong.yaml', `${settings}clientSecret: not-the-secret\n`)
  await must(root, 'provider', 'put', 'peer', '-f', 'wrong.yaml')
  const refused = await root('provider', 'check', 'peer')
  expect([refused.code, refused.output]).toEqual([6, expect.stringMatching(/hint:/)])
  await must(root, 'provider', 'put', 'peer', '-f', 'peer.yaml')
  expect(await must(root, 'provider', 'check', 'peer')).toContain(peer.issuer)

  // The first administrator, who switches the root token off.
  const [alice, olga, rita, dina, stan] = [
    await person('alice'),
    await person('olga'),
    await person('rita'),
    await person('dina'),
    await person('stan'),
  ]
  expect((await root('server', 'settings', '--root-token', 'off')).code).toBe(2)
  expect((await alice('server', 'settings')).code).toBe(5)
  await must(root, 'server', 'admin', 'add', 'alice')
  await must(alice, 'server', 'settings', '--root-token', 'off')
  expect((await root('unit', 'ls')).code).toBe(5)

  // Units, a team, roles and grants.
  await write('1.tfstate', stateText(1))
  await write('2.tfstate', stateText(2))
  await write('3.tfstate', stateText(3))
  for (const unit of ['dev/app', 'prod/app']) await must(alice, 'state', 'push', unit, '1.tfstate')
  await must(alice, 'team', 'create', 'ops', '--group', 'peer/ops')
  await must(alice, 'team', 'add', 'ops', 'olga')
  await write(
    'emergency.yaml',
    'description: for people on call\nrules:\n  - { effect: allow, actions: [state:break-glass], units: [prod/**] }\n',
  )
  await must(alice, 'role', 'put', 'emergency', '-f', 'emergency.yaml')
  await must(alice, 'access', 'grant', 'operator', '--to', 'team:ops')
  await must(alice, 'access', 'grant', 'emergency', '--to', 'team:ops')
  await must(alice, 'access', 'grant', 'reader', '--to', 'rita')
  await must(alice, 'access', 'grant', 'reader', '--to', 'dina', '--unit', 'dev/**')

  // A reader reads, an operator writes, a narrowed role sees nothing else, a stranger sees nothing.
  const exitOf = async (taco: Taco, ...args: readonly string[]) => (await taco(...args)).code
  expect(await exitOf(rita, 'state', 'pull', 'prod/app')).toBe(0)
  expect(await exitOf(rita, 'state', 'push', 'prod/app', '2.tfstate')).toBe(5)
  expect(await exitOf(rita, 'access', 'ls')).toBe(5)
  expect(await exitOf(olga, 'state', 'push', 'prod/app', '2.tfstate')).toBe(0)
  expect(await exitOf(olga, 'access', 'grant', 'owner', '--to', 'olga')).toBe(5)
  expect(await exitOf(dina, 'state', 'pull', 'dev/app')).toBe(0)
  const hidden = await dina('state', 'pull', 'prod/app')
  expect([hidden.code, hidden.output]).toEqual([3, expect.stringContaining('There is no unit prod/app')])
  expect(await must(dina, 'unit', 'ls')).toMatch(/dev\/app(?![^]*prod\/app)/)
  expect(await exitOf(stan, 'state', 'pull', 'dev/app')).toBe(3)

  // A guard, which the glass is broken for.
  await must(alice, 'guard', 'set', 'prod/**', '--reason', 'only runs')
  const guarded = await olga('state', 'push', 'prod/app', '3.tfstate')
  expect([guarded.code, guarded.output]).toEqual([5, expect.stringContaining('taco guard break')])
  expect(await exitOf(rita, 'guard', 'break', 'prod/app', '--reason', 'curious')).toBe(5)
  await must(olga, 'guard', 'break', 'prod/app', '--reason', 'the runner is down', '--for', '5m')
  expect(await must(olga, 'guard', 'ls')).toContain('prod/app: user:olga may write until')
  expect((await dina('guard', 'ls')).output).not.toContain('prod/app')
  await must(olga, 'state', 'push', 'prod/app', '3.tfstate')
  expect(await exitOf(alice, 'state', 'push', 'prod/app', '3.tfstate')).toBe(5)

  const events = await must(alice, 'events')
  expect(events).toMatch(/guard\.broken .* by olga .*the runner is down/)
  const audit = await must(alice, 'audit')
  expect(audit).toMatch(/olga +token test .*guard\.broken.*done/)
  expect(audit).toMatch(/rita .*state:write +prod\/app +refused/)

  // Suspended, at once.
  expect(await exitOf(alice, 'person', 'suspend', 'alice')).toBe(4)
  await must(alice, 'person', 'suspend', 'olga')
  expect(await exitOf(olga, 'state', 'pull', 'dev/app')).toBe(5)
  expect(server.output()).not.toContain(peer.clientSecret)
})
