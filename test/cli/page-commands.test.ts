import { expect, onTestFinished, test } from 'vitest'
import { addTeam, bind } from '../../src/access/organization/transitions.ts'
import { callOf, nameOf } from '../rig/route-calls.ts'
import { type Person, type SsoFace, startSsoFace } from '../rig/sso-face.ts'
import { createTestBrowser } from '../rig/web-face.ts'
import { testWorld } from '../support/cli.ts'
import { program } from '../../src/entry/cli/program.ts'
import { parseArgs } from '../../src/entry/cli/spec/parse-args.ts'
import { webRoutes } from '../../src/entry/http/web/face.ts'

const NO_PAGE =
  /^\/assets\/|^\/(?:theme|sign-out|favicon)|\/(?:live|changes)$|\/callback$|^\/sign-in\/|^\/oauth\//
const pages = webRoutes.filter(({ method, pattern }) => method === 'GET' && !NO_PAGE.test(pattern))

function commandsIn(html: string): readonly string[] {
  return [...html.matchAll(/<span aria-hidden="true">\$<\/span><code>([^<]*)<\/code>/g)].map(
    ([, text = '']) =>
      text
        .replaceAll('&#39;', "'")
        .replaceAll('&quot;', '"')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&amp;', '&'),
  )
}

/** As a shell takes a command apart. */
function wordsOf(command: string): readonly string[] {
  const [first = ''] = command.split(' | ')
  const words = first.matchAll(/(?:[^\s'"\\]|\\.|'[^']*'|"[^"]*")+/g)
  return [...words].map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"|\\(.)/g, '$1$2$3')).slice(1)
}

function fault(command: string): string | undefined {
  try {
    if (/[<>]/.test(command)) return `${command}: a shell would redirect it`
    parseArgs(program, [...wordsOf(command)], {})
    return undefined
  } catch (error) {
    return `${command}: ${String(error)}`
  }
}

test('every command on every page can be typed as it is', async () => {
  const face = await startSsoFace()
  const owner = await face.person('owner')
  await face.policy('default', (all) => bind(all, { role: 'owner', to: `user:${owner.id}` }))
  await face.signIn.settings.addAdministrator(`user:${owner.id}`, face.setUp)
  const browser = createTestBrowser(face)
  browser.cookies.set('taco', (await face.session(owner))['cookie']?.replace('taco=', '') ?? '')
  const faults: string[] = []
  const run = new Set<string>()
  let found = 0
  for (const of of pages) {
    const { path } = await callOf(face, of, owner)
    const { text } = await browser.get(path)
    for (const command of commandsIn(text).filter((one) => one.startsWith('taco '))) {
      found++
      const wrong = fault(command)
      if (wrong !== undefined) faults.push(`${nameOf(of)} ${wrong}`)
      else if (READS.test(command) && !run.has(command)) {
        run.add(command)
        const { code, err } = await typed(face, owner, command)
        if (code !== 0 && !MADE_UP.test(command)) faults.push(`${nameOf(of)} ${command}: ${code} ${err}`)
      }
    }
  }

  expect(faults).toEqual([])
  expect(found).toBeGreaterThan(60)
})

/** Names something that does not exist, as an example. */
const MADE_UP = / alice | --from prod\/network$/

/** Those that change nothing, as far as pages show them. */
const READS =
  /^taco (?:\S+ )*?(?:ls|show|status|events|audit|plan|diff|log|explain|versions|pull|settings|doctor)\b/

/** Runs it as a person at a terminal would, and answers what it prints. */
async function typed(face: SsoFace, { token }: Person, command: string, ...more: readonly string[]) {
  const world = testWorld()
  onTestFinished(() => world.dispose())
  world.env['TACO_SERVER'] = `http://127.0.0.1:${face.port}`
  world.env['TACO_TOKEN'] = token['authorization']?.replace('Bearer ', '')
  const code = await world.run(...wordsOf(command), ...more)
  return { code, out: world.out(), err: world.err() }
}

async function startAcme() {
  const face = await startSsoFace()
  const owner = await face.person('owner')
  const { id } = await face.deps.control.orgs.create({ name: 'acme' }, face.setUp)
  await face.policy(id, (all) => bind(all, { role: 'owner', to: `user:${owner.id}` }))
  const browser = createTestBrowser(face)
  browser.cookies.set('taco', (await face.session(owner))['cookie']?.replace('taco=', '') ?? '')
  const { control } = face.deps
  for (const [name, env] of [
    ['prod/app one', 'prod'],
    ['prod/apply', 'prod'],
    ['prodigy/app', 'prod'],
    ['dev/app', 'dev'],
  ] as const)
    await control.units.create({ org: id, name, labels: { env } }, face.setUp)
  return { face, owner, browser, org: id }
}

test.each([
  ['', /^taco status --org acme$/],
  ['?label=env=prod&search=app', /^taco unit ls --label env=prod --search app --org acme$/],
  ['?path=prod', /^taco unit ls prod\/ --org acme$/],
])('the command of the estate%s lists the units that the page shows', async (query, expected) => {
  const { face, owner, browser } = await startAcme()
  const { text } = await browser.get(`/app/acme${query}`)
  const [command = ''] = commandsIn(text)
  expect(command).toMatch(expected)
  const { code, out, err } = await typed(face, owner, command, '--json')
  expect([code, err]).toEqual([0, ''])
  if (query === '') return
  const shown = (await browser.get(`/app/acme${query}&format=json`)).json() as unknown as { name: string }[]
  const { items } = JSON.parse(out) as { items: { name: string }[] }
  expect(items.map(({ name }) => name)).toEqual(shown.map(({ name }) => name))
  expect(shown.length).toBeGreaterThan(1)
})

test('the commands of other lists give what the pages show', async () => {
  const { face, owner, browser, org } = await startAcme()
  await face.policy(org, (all) => {
    const team = (name: string) => ({ id: face.id('team'), name, members: [], groups: [], createdAt: 1 })
    return addTeam(addTeam(all, team('ops')), team('web'))
  })
  // Events are written soon after what they tell of.
  await expect
    .poll(async () => (await browser.get('/app/acme/audit?unit=dev/app')).text)
    .toContain('unit.created')
  const pages = [
    ['/people?tab=teams&search=ops', 'ops', 'web'],
    ['/activity?type=unit&unit=dev/app', 'dev/app', 'prod/apply'],
    ['/audit?unit=dev/app&since=2026-01-01', 'dev/app', 'prod/apply'],
    ['/units/prod--app%20one', 'prod/app one', 'dev/app'],
    ['/rollouts?state=failed', '', 'ro-'],
  ] as const
  for (const [path, has, hasNot] of pages) {
    const { text } = await browser.get(`/app/acme${path}`)
    const [command = ''] = commandsIn(text).filter((one) => READS.test(one))
    const { code, out } = await typed(face, owner, command)
    const [, wanted] = / \| grep -iF (\S+)$/.exec(command) ?? []
    const lines = out.split('\n').filter((line) => wanted === undefined || line.includes(wanted))
    expect([command, code, lines.join('\n').includes(has), lines.join('\n').includes(hasNot)]).toEqual([
      expect.stringContaining('--org acme'),
      0,
      true,
      false,
    ])
  }
})

const EVIL = encodeURIComponent("x'; touch /tmp/y; '$(id)")

test.each([
  ['/audit?who=E&action=E&unit=E', ['--who', '--action', '--unit']],
  ['/activity?unit=E', ['--unit']],
  ['/settings/notifications?scope=unit&of=E', ['--unit']],
  ['/rollouts/new?from=E', ['--from']],
  ['/people?search=E', []],
  ['?search=E', ['--search']],
  ['/search?q=E', ['--search']],
])('an address cannot put a command into the one that %s shows', async (path, options) => {
  const face = await startSsoFace()
  const owner = await face.person('owner')
  await face.policy('default', (all) => bind(all, { role: 'owner', to: `user:${owner.id}` }))
  await face.deps.notifications.create(
    'default',
    {
      name: 'h',
      destination: 'generic',
      triggers: ['state:changed'],
      url: 'http://127.0.0.1:9/',
      isEnabled: false,
      scope: { kind: 'organization' },
    },
    face.setUp,
  )
  await face.send('/v1/units', {
    method: 'POST',
    headers: { ...face.root, 'content-type': 'application/json' },
    body: '{"name":"base"}',
  })
  const browser = createTestBrowser(face)
  browser.cookies.set('taco', (await face.session(owner))['cookie']?.replace('taco=', '') ?? '')

  const { text } = await browser.get(`/app/default${path.replaceAll('=E', `=${EVIL}`)}`)
  const [command = ''] = commandsIn(text).filter((one) => one.includes('touch'))
  // Everything that came from the address is in quotes.
  expect(command.replaceAll(/'[^']*'|\\'/g, 'Q')).toMatch(/^[\w |:.-]*$/)
  for (const one of options) expect(command).toContain(`${one} 'x`)
})
