import { expect, test } from 'vitest'
import { HIDDEN, startHiddenWorld } from '../../../test/rig/hidden-world.ts'
import { nameOf } from '../../../test/rig/route-calls.ts'
import { createTestBrowser } from '../../../test/rig/web-face.ts'
import type { Route } from './kit/routes/route.ts'
import { webRoutes } from './web/face.ts'

/** Hidden units, and a rollout, a variable set and a notification that are hidden because of them. */
async function open() {
  const world = await startHiddenWorld()
  const { face, asRoot, people, ids } = world
  await asRoot('POST', '/v1/units', { name: 'dev/gone', labels: { env: 'dev' } })
  const gone = await asRoot('DELETE', '/v1/units/dev--gone')
  const set = await asRoot('POST', '/v1/orgs/default/variable-sets', {
    name: 'hidden-set',
    units: ['dev/secret'],
  })
  const { id: notification } = await face.deps.notifications.create(
    'default',
    {
      name: 'hidden-notification',
      destination: 'generic',
      triggers: ['state:changed'],
      url: 'http://127.0.0.1:9/',
      isEnabled: false,
      scope: { kind: 'unit', id: ids['dev/secret'] ?? '' },
    },
    face.setUp,
  )
  const browsers = await Promise.all(
    Object.entries(people).map(async ([who, person]) => {
      const browser = createTestBrowser(face)
      browser.cookies.set('taco', (await face.session(person))['cookie']?.replace('taco=', '') ?? '')
      await browser.get('/account/tokens')
      return [who, browser] as const
    }),
  )
  return { ...world, browsers, gone: String(gone['id']), set: String(set['id']), notification }
}

/** What a page of an organization is about, if the person may see it. */
const SEEN: Readonly<Record<string, string>> = {
  org: 'default',
  unit: 'prod--web',
  workspace: 'prod--web',
  team: 'owners',
  role: 'reader',
}

/** Other forms of the same page. Those that a page does not know change nothing. */
const FORMS = ['', '?format=csv', '?format=json', '?part=unit']
const MORE: Readonly<Record<string, readonly string[]>> = {
  '/app/{org}': [
    '?view=table',
    '?view=tree',
    '?view=graph',
    '?view=graph&around=prod/web',
    '?unit=prod/web',
    '?unit=prod/web&part=panel',
    '?unit=dev/secre',
    '?label=env=dev',
    '?search=secret',
    '?path=dev',
    '?deleted',
    '?deleted&format=csv',
    '?at=2026-01-01',
  ],
  '/app/{org}/search': ['?q=dev', '?q=secret&format=json', '?q=e&part=suggestions', '?q=value'],
  '/app/{org}/activity': ['?part=feed', '?part=locks', '?type=state', '?type=dependencies'],
  '/app/{org}/rollouts': ['?part=list'],
  '/app/{org}/rollouts/new': ['?from=prod/web', '?from=prod/db', '?from=prod/wep', '?from=dev/secre'],
  '/app/{org}/variables': ['?unit=prod/web', '?unit=dev/secre'],
  '/app/{org}/units/{unit}/dependencies': ['?direction=uses', '?search=dev'],
  '/app/{org}/units/{unit}/outputs/diff': ['?from=0&to=1'],
  '/app/{org}/units/{unit}/access': ['?who=everyone'],
  '/app': ['?part=switcher'],
}

const isPage = ({ method, pattern }: Route) =>
  method === 'GET' && !/\/live$|^\/(assets|sign-in|oauth|device)/.test(pattern)

function pathOf({ pattern }: Route, things: Readonly<Record<string, string>>): string {
  return pattern.replaceAll(/\{(\w+)\}/g, (_, key: string) => things[key] ?? key)
}

test('no page names a unit that its person may not see', { timeout: 180_000 }, async () => {
  const { browsers, ids, rollouts, set, notification, gone } = await open()
  const secrets = [...HIDDEN, 'dev--', 'dev/gone', gone, set, notification, ...rollouts]
  secrets.push(ids['dev/secret'] ?? '', ids['dev/user'] ?? '')
  const units = [SEEN['unit'] ?? '', 'prod--db', 'prod--wep', 'dev--secre']
  const leaks: string[] = []
  for (const [who, browser] of browsers)
    for (const route of webRoutes.filter(isPage))
      for (const unit of route.pattern.includes('{unit}') ? units : [''])
        for (const query of [...FORMS, ...(MORE[route.pattern] ?? [])]) {
          const path = pathOf(route, { ...SEEN, unit }) + query
          const { status, text } = await browser.get(path)
          expect([path, status]).toEqual([path, expect.toBeOneOf([200, 303, 400, 403, 404])])
          const found = secrets.filter((secret) => text.includes(secret) && !path.includes(secret))
          if (found.length > 0) leaks.push(`${who}: ${path} says ${found.join(', ')}`)
        }

  expect(leaks).toEqual([])
  const [[, browser] = []] = browsers
  expect((await browser?.get('/app/default?view=table'))?.text).toContain('prod/web')
})

/** What the forms must say to be understood. */
const fields = {
  reason: 'r',
  id: 'x',
  on: 'prod/db',
  to: 'group:hub/none',
  role: 'reader',
  version: 'previous',
  key: 'k',
  category: 'env',
  name: 'n',
  guard: 'g',
  confirm: 'x',
}

test('a page or a form about what is hidden is answered like one about what does not exist', async () => {
  const { browsers, ids, rollouts, set, notification, gone } = await open()
  const pairs: readonly (readonly [key: string, hidden: string, missing: string])[] = [
    ['unit', 'dev--secret', 'dev--absent'],
    ['unit', ids['dev/secret'] ?? '', 'ws-1111111111111111'],
    ['unit', gone, 'ws-1111111111111111'],
    ['set', set, 'varset-1111111111111111'],
    ['set', 'hidden-set', 'absent-set'],
    ['notification', notification, 'nc-1111111111111111'],
    ['id', rollouts[0] ?? '', 'ro-01M7J9FVDA56481C5944722G8E'],
  ]
  const differing: string[] = []
  let asked = 0
  for (const [who, browser] of browsers)
    for (const [key, hidden, missing] of pairs)
      for (const route of webRoutes.filter(({ pattern }) => pattern.includes(`{${key}}`))) {
        const answers: string[] = []
        for (const thing of [hidden, missing]) {
          const path = pathOf(route, { ...SEEN, id: rollouts[0] ?? '', [key]: thing })
          const { status, text } =
            route.method === 'GET' ? await browser.get(path) : await browser.submit(path, fields)
          answers.push(`${status} ${withoutNames(text, thing)}`)
          asked++
        }
        const isRefused = /^(403|404) /.test(answers[0] ?? '')
        if (answers[0] !== answers[1] || !isRefused)
          differing.push(`${who}: ${nameOf(route)} of ${thing(hidden)}: ${answers.join('\n instead of ')}`)
      }

  expect(differing).toEqual([])
  expect(asked).toBeGreaterThan(500)
}, 180_000)

const thing = (name: string) => name.slice(0, 10)

/** The page without what differs from one request to the next. */
function withoutNames(text: string, name: string): string {
  const unit = name.replace('--', '/')
  return text
    .replaceAll(name, 'THING')
    .replaceAll(unit, 'THING')
    .replaceAll(unit.split('/').at(-1) ?? unit, 'LAST')
    .replaceAll(/name="csrf" value="[^"]*"/g, '')
    .replaceAll(/request <code>[^<]*<\/code>/g, '')
}
