import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bind, putRole } from '../../../src/access/organization/transitions.ts'
import { startChromium } from '../../peers/chromium.ts'
import { forFile } from '../../rig/at-end.ts'
import { openWindow } from '../../rig/browser.ts'
import { type EngineEstate, startEngineEstate } from '../../rig/engine-estate.ts'
import { engines } from '../../rig/engines.ts'
import { waitingResource } from '../../rig/hcl.ts'
import { eventually } from '../../rig/wait.ts'

const browser = await startChromium()
afterAll(() => browser?.close())
const [engine] = engines().slice(-1)
const isSkipped = browser === undefined || engine === undefined

let estate: EngineEstate
beforeAll(() =>
  forFile(async () => {
    if (engine !== undefined && browser !== undefined) estate = await startEngineEstate(engine)
  }),
)

const DAY = 86_400_000
const unit = (name: string, tab = '') => `${estate.url}/app/default/units/${name.replace('/', '--')}${tab}`

async function openAs(login: string, javaScriptEnabled: boolean) {
  const { page, isAccessible } = await openWindow(browser, { javaScriptEnabled })
  await page.context().addCookies([await estate.face.browserCookie({ login })])
  // What looks for violations is a script itself.
  return { page, look: () => (javaScriptEnabled ? isAccessible() : Promise.resolve()) }
}

/** A person who may do this with every unit. */
async function giveRights(login: string, actions: string[]): Promise<void> {
  const { id } = await estate.face.person(login)
  const role = { name: login, rules: [{ effect: 'allow' as const, actions }] }
  await estate.face.policy('default', (all) => bind(putRole(all, role), { role: login, to: `user:${id}` }))
}

/** How a unit that has this status is shown in each of the four views. */
const VIEWS = {
  Map: (page: Page, name: string, look: string) =>
    page.locator(`.cells a.look-${look}[href$="unit=${name}"]`),
  Graph: (page: Page, name: string, look: string) =>
    page.locator(`svg .node.look-${look}`, { hasText: name }),
  Table: (page: Page, name: string, look: string) =>
    page.locator('tbody tr', { hasText: name }).filter({ has: page.locator(`.look-${look}`) }),
  Tree: (page: Page, name: string, look: string) =>
    page
      .locator('.tree li.unit', { hasText: name.split('/')[1] ?? '' })
      .filter({ has: page.locator(`.look-${look}`) }),
}
const ALL = { Map: '.cells a', Graph: 'svg .node', Table: 'tbody tr', Tree: '.tree li.unit' }
const LOOKS = ['stale', 'ok'] as const

/** What the view shows: its units, and which of them are stale. */
async function shown(page: Page, view: keyof typeof VIEWS) {
  const found: Record<string, string> = {}
  for (const name of ['prod/network', 'prod/app', 'prod/web', 'dev/tool'])
    for (const look of LOOKS) if ((await VIEWS[view](page, name, look).count()) === 1) found[name] = look
  return { count: await page.locator(ALL[view]).count(), ...found }
}

const now = { 'prod/network': 'ok', 'prod/app': 'stale', 'prod/web': 'ok', 'dev/tool': 'ok' }
const then = { ...now, 'prod/app': 'ok' }

test.skipIf(isSkipped).each([true, false])(
  'what is stale is seen in each view, now and as of another day (JavaScript: %s)',
  async (javaScriptEnabled) => {
    const { page, look } = await openAs('alice', javaScriptEnabled)
    /** `place`: of the slider, where the date field is not. */
    async function goBack(days: number, place: number) {
      if (javaScriptEnabled) {
        await page.getByRole('slider', { name: 'As of' }).fill(String(place))
        await page.waitForURL('**at=**')
      } else {
        const at = new Date(Date.now() - days * DAY).toISOString().slice(0, 16)
        await page.getByLabel('as of').fill(at)
        await page.getByRole('button', { name: 'Show' }).click()
      }
      await page.getByText('The estate as it was at').waitFor()
    }
    const choose = (view: string) =>
      page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: view, exact: true }).click()

    await page.goto(`${estate.url}/app/default`)
    for (const view of ['Graph', 'Table', 'Tree', 'Map'] as const) {
      await choose(view)
      await page.locator(ALL[view]).first().waitFor({ state: 'attached' })
      expect([view, await shown(page, view)]).toEqual([view, { count: 4, ...now }])
      await goBack(5, 450)
      expect([view, await shown(page, view)]).toEqual([view, { count: 4, ...then }])
      await look()
      if (javaScriptEnabled) await page.getByRole('slider', { name: 'As of' }).press('End')
      else await page.getByRole('link', { name: 'now', exact: true }).click()
      await page.locator('.notice', { hasText: 'The estate as it was' }).waitFor({ state: 'detached' })
    }
    // Before everything.
    await goBack(20, 126)
    await page.getByText('0 units').waitFor()
  },
)

test.skipIf(isSkipped).each([true, false])(
  'each filter is the same in each view, and in the address (JavaScript: %s)',
  async (javaScriptEnabled) => {
    const { page } = await openAs('alice', javaScriptEnabled)
    async function filter(label: string, value: string) {
      await page.getByText('+ filter').click()
      await page.getByLabel(label).fill(value)
      await page.getByRole('button', { name: 'Filter', exact: true }).click()
    }
    const filters = {
      'status=stale': () =>
        page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: 'stale' }).click(),
      'label=tier%3Dfront': () => filter('Has the label', 'tier=front'),
      'path=prod': () => filter('Below the path', 'prod'),
      'search=too': () => filter('Name contains', 'too'),
    }
    const found = {
      'status=stale': ['prod/app'],
      'label=tier%3Dfront': ['prod/app', 'prod/web'],
      'path=prod': ['prod/network', 'prod/app', 'prod/web'],
      'search=too': ['dev/tool'],
    }
    for (const name of ['status=stale', 'label=tier%3Dfront', 'path=prod', 'search=too'] as const) {
      await page.goto(`${estate.url}/app/default`)
      await filters[name]()
      await page.waitForURL(`**${name}**`)
      const units = Object.fromEntries(Object.entries(now).filter(([one]) => found[name].includes(one)))
      for (const view of ['Map', 'Graph', 'Table', 'Tree'] as const) {
        if (view !== 'Map') await page.getByRole('link', { name: view, exact: true }).click()
        await page.locator(ALL[view]).first().waitFor({ state: 'attached' })
        expect([name, view, await shown(page, view)]).toEqual([
          name,
          view,
          { count: found[name].length, ...units },
        ])
      }
    }
  },
)

test.skipIf(isSkipped).each([true, false])(
  'the panel and the unit say which output changed, when, by whom, and where it was read (JavaScript: %s)',
  async (javaScriptEnabled) => {
    const { page, look } = await openAs('alice', javaScriptEnabled)
    const because = /vpc_id of prod\/network changed\s+at commit 2, 2 days ago by alice.*; read at commit 1/
    await page.goto(`${estate.url}/app/default?view=table`)
    await page.locator('tbody').getByRole('link', { name: 'prod/app' }).first().click()
    await page.locator('#panel h2', { hasText: 'app' }).waitFor()
    expect(await page.locator('#panel').innerText()).toMatch(because)
    await page.locator('#panel').getByText('Apply it, or start a rollout from what changed.').waitFor()
    await look()
    await page.getByRole('link', { name: 'Open', exact: true }).click()
    await page.waitForURL('**/units/prod--app')

    const why = page.locator('section.card', { hasText: 'Why it is stale' })
    expect(await why.innerText()).toMatch(because)
    expect(await why.locator('.values del').innerText()).toContain('vpc-1')
    expect(await why.locator('.values ins').innerText()).toContain('vpc-2')
    await look()
    // Both ways: what it uses, and from there what uses that.
    await page.getByLabel('Uses', { exact: true }).getByRole('link', { name: 'network' }).click()
    await page.waitForURL('**/units/prod--network')
    const users = page.getByLabel('Used by', { exact: true }).getByRole('link')
    expect(await users.count()).toBe(2)
  },
)

test.skipIf(isSkipped).each([true, false])(
  'sensitive outputs are masked, shown to those who may see them, and that is recorded (JavaScript: %s)',
  async (javaScriptEnabled) => {
    const suffix = javaScriptEnabled ? 'live' : 'plain'
    const [masked, trusted] = [`masked-${suffix}`, `trusted-${suffix}`]
    const rights = ['unit:read', 'outputs:read']
    await giveRights(masked, rights)
    await giveRights(trusted, [...rights, 'outputs:read-sensitive'])
    const path = unit('prod/network', '/outputs')

    const reader = await openAs(masked, javaScriptEnabled)
    await reader.page.goto(path)
    await reader.page.getByText('You may not see sensitive values').waitFor()
    expect(await reader.page.content()).not.toContain('hunter2')
    expect(await reader.page.getByRole('button', { name: 'Show sensitive values' }).count()).toBe(0)

    const { page, look } = await openAs(trusted, javaScriptEnabled)
    await page.goto(path)
    await page.getByRole('row', { name: /secret.*sensitive/ }).waitFor()
    expect(await page.content()).not.toContain('hunter2')
    await page.getByRole('button', { name: 'Show sensitive values' }).click()
    await page.getByText('"hunter2"').waitFor()
    await look()
    const { page: auditor } = await openAs('alice', javaScriptEnabled)
    await auditor.goto(`${estate.url}/app/default/audit?action=outputs:read-sensitive`)
    const records = auditor.locator('tbody tr', { hasText: 'prod/network' })
    expect(await records.filter({ hasText: trusted }).count()).toBe(1)
    expect(await records.filter({ hasText: masked }).count()).toBe(0)
  },
)

test.skipIf(isSkipped).each([true, false])(
  'resources are searched, versions are compared, and runs are listed (JavaScript: %s)',
  async (javaScriptEnabled) => {
    const { page, look } = await openAs('alice', javaScriptEnabled)
    const tab = (name: string) =>
      page.getByRole('navigation', { name: 'Unit' }).getByRole('link', { name }).click()
    await page.goto(unit('prod/network'))
    await tab('Resources')
    await page.getByRole('cell', { name: 'terraform_data.vpc' }).waitFor()
    await page.getByPlaceholder('Address, type or provider').fill('SUBNET[1]')
    await page.getByRole('button', { name: 'Search', exact: true }).last().click()
    await page.waitForURL('**search=SUBNET**')
    expect(await page.locator('tbody tr').allInnerTexts()).toEqual([
      expect.stringContaining('terraform_data.subnet[1]'),
    ])
    await look()

    await tab('History')
    await page.getByLabel('From version 1').check()
    await page.getByRole('button', { name: 'Compare selected' }).click()
    await page.getByRole('heading', { name: 'Version 1 and version 2' }).waitFor()
    // Side by side: what it was in one column, what it is in the next.
    const row = page.getByRole('row', { name: /^output\.value/ })
    expect(await row.getByRole('cell').allInnerTexts()).toEqual(['output.value', 'vpc-1', 'vpc-2'])
    await look()

    await page.goto(unit('prod/web', '/runs'))
    const [run = ''] = await page.locator('tbody tr').allInnerTexts()
    expect(run).toMatch(/applied[\s\S]*No output changed[\s\S]*alice/)
    await look()
    await page.locator('tbody').getByRole('link').click()
    await page.waitForURL(`**/rollouts/${estate.first}`)
  },
)

test.skipIf(isSkipped).each([true, false])(
  'a lock that an engine holds is seen with its holder, and broken by typing the name (JavaScript: %s)',
  async (javaScriptEnabled) => {
    const { page, look } = await openAs('alice', javaScriptEnabled)
    const name = `dev/locked-${javaScriptEnabled ? 'live' : 'plain'}`
    const [started, go] = [join(estate.root, `${name}/started`), join(estate.root, `${name}/go`)]
    await estate.write(
      `${name}/main.tf`,
      `terraform {\n  backend "http" {}\n}\n${waitingResource(started, go)}`,
    )
    await estate.taco('unit', 'create', name)
    if (javaScriptEnabled) {
      await page.goto(unit(name))
      await page.locator('html[data-is-live]').waitFor()
    }
    const command = `cd ${name} && "${engine?.path}" init && "${engine?.path}" apply -auto-approve`
    const apply = estate.start('exec', name, '--', 'sh', '-c', command)
    await eventually(
      () => `the apply to be under way: ${apply.output()}`,
      () => existsSync(started),
    )

    // An open page says so by itself.
    if (!javaScriptEnabled) await page.goto(unit(name))
    await page.locator('.notice', { hasText: /Locked by alice.*OperationTypeApply/ }).waitFor()
    await look()
    await page.goto(`${estate.url}/app/default/activity`)
    await page.locator('#locks', { hasText: name }).getByText(/alice/).first().waitFor()
    await page.goto(unit(name))
    await page.getByRole('link', { name: 'Unlock', exact: true }).click()
    const details = page.locator('dl', { hasText: 'Held by' })
    expect(await details.innerText()).toMatch(/Held by\s+alice[\s\S]*Since\s+\d{4}-[\s\S]*(ago|just now)/)
    await look()
    const confirm = page.getByLabel(`Type ${name} to confirm`)
    await confirm.fill('dev')
    await page.getByRole('button', { name: 'Break the lock' }).click()
    await page.getByText('This does not match.').waitFor()
    expect(await confirm.inputValue()).toBe('dev')
    await confirm.fill(name)
    await page.getByRole('button', { name: 'Break the lock' }).click()
    await page.getByText('Unlocked.').waitFor()
    await writeFile(go, '')
    // Its state is refused: the engine says so.
    expect((await apply.finished).code).not.toBe(0)
    await page.goto(`${estate.url}/app/default/activity?unit=${name}&type=lock.forced`)
    await page.getByText('broke the lock of').waitFor()
  },
)

test.skipIf(isSkipped)(
  'a rollout is previewed, started, followed while a worker applies it, and proves what it skipped',
  async () => {
    const { page, look } = await openAs('alice', true)
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const chip = (text: string) => page.locator('#rollout .bar .chip', { hasText: text })
    const step = (name: string) => page.locator('#rollout tbody tr', { hasText: name })
    await page.goto(unit('prod/app'))
    await page.getByRole('link', { name: 'Preview a rollout from prod/network' }).click()
    await page.getByText('2 units follow').waitFor()
    await page.getByText(/will not be touched/).waitFor()
    expect(await page.locator('svg .node').count()).toBe(3)
    await look()
    await button('Start the rollout').click()
    await chip('active').waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await page.locator('html[data-is-live]').waitFor()

    await button('Pause').click()
    await chip('paused').waitFor()
    await button('Resume').click()
    await chip('active').waitFor()
    await page.locator('html[data-is-live]').waitFor()

    // While the engine is at it.
    await estate.write('prod/armed', '')
    const worker = estate.start('rollout', 'work', id)
    await page.locator('svg .node.look-run', { hasText: 'prod/app' }).waitFor()
    const work = page.locator('section.card', { hasText: 'Who works on what' }).locator('dd')
    await work.getByRole('link', { name: 'prod/app' }).waitFor()
    await look()
    await estate.write('prod/go', '')
    await chip('done').waitFor()
    expect((await worker.finished).code, worker.output()).toBe(0)

    for (const name of ['prod/network', 'prod/app'])
      await page.locator('svg .node.look-ok', { hasText: name }).waitFor()
    await page.locator('svg .node.look-never', { hasText: 'prod/web' }).waitFor()
    await step('prod/app').getByText('Changed url').waitFor()
    expect(await step('prod/web').innerText()).toMatch(
      /skipped[\s\S]*It read cidr of prod\/network at commit 1; at commit 2, the current one, nothing of it changed\./,
    )
    await look()
    await page.goto(`${estate.url}/app/default`)
    await page.locator('.cells a.look-ok[href$="unit=prod/app"]').waitFor()
  },
)
