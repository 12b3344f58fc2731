import { expect, test } from 'vitest'
import { type Person, type SsoFace, browserOf, startSsoFace } from '../../../../../../test/rig/sso-face.ts'
import { createTestBrowser, startWebFace } from '../../../../../../test/rig/web-face.ts'
import { push, stateText } from '../../../../../../test/support/state.ts'
import { bind, systemCaller } from '../../../../../access/index.ts'
import { putRole } from '../../../../../access/organization/transitions.ts'
import type { DoctorFinding } from '../../../../../state/index.ts'

const PATH = '/app/default/settings/health'
const caller = systemCaller('opentaco')

async function browserFor(face: SsoFace, person: Person) {
  const browser = createTestBrowser(face)
  browser.cookies.set('taco', (await face.session(person))['cookie']?.replace('taco=', '') ?? '')
  await browser.get('/account/tokens')
  return browser
}

test('a check runs in the background; its findings name the remedy, and a repair is confirmed', async () => {
  const face = await startWebFace()
  const browser = createTestBrowser(face)
  await push(face.deps.control, 'prod/app', stateText(1))
  const before = await browser.get(PATH)
  expect(before.text).toContain('The bucket was not checked yet.')
  expect(before.text).toMatch(/answers in <span class="num">\d+<\/span> ms/)

  const started = await browser.submit(`${PATH}/check`, { deep: 'on' })
  expect([started.status, started.location]).toEqual([303, PATH])
  const part = async () => (await browser.get(`${PATH}?part=check`)).text
  await expect.poll(part).toMatch(/Checked thoroughly[^]*1<\/span> units were checked/)
  expect((await browser.get(PATH)).text).toContain('Nothing to review: everything is fine.')
  const fine = await browser.get(`${PATH}?level=ok`)
  expect(fine.text).toContain('bucket.replace-if-unchanged')
  const exported = await browser.get(`${PATH}?level=ok&format=json`)
  expect(JSON.parse(exported.text)).toContainEqual(
    expect.objectContaining({ level: 'ok', check: 'bucket.create-once' }),
  )

  const wrong = await browser.submit(`${PATH}/repair`, { confirm: 'yes' })
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('Type repair to confirm.')])
  await browser.submit(`${PATH}/repair`, { confirm: 'repair' })
  await expect.poll(part).toContain('Repaired')
})

test('a check that runs is shown with its progress, and no second one starts', async () => {
  const face = await startWebFace()
  const browser = createTestBrowser(face)
  const { checks } = face.deps.health
  let isRunning = true
  const held = { ...face.deps.control.upkeep }
  Object.assign(face.deps.control.upkeep, {
    async *doctor(options: Parameters<typeof held.doctor>[0], by: Parameters<typeof held.doctor>[1]) {
      while (isRunning && by.signal?.aborted !== true) await new Promise((resolve) => setTimeout(resolve, 5))
      yield* held.doctor(options, by)
    },
  })
  await browser.get(PATH)
  await browser.submit(`${PATH}/check`)
  const running = await browser.get(PATH)
  expect(running.text).toMatch(/A check is running on [^]*<progress/)
  expect(running.text).toContain('hx-trigger="every 2s"')
  await browser.submit(`${PATH}/check`)
  expect((await browser.get(PATH)).text).toContain('A check is already running on')
  isRunning = false
  await expect.poll(async () => (await checks.show({ kind: 'bucket' }))?.attempt.state).toBe('done')
  expect((await browser.get(`${PATH}?part=check`)).text).not.toContain('hx-trigger')
})

test('people see findings about their own organization and units only, and start nothing', async () => {
  const face = await startSsoFace()
  const { control, health } = face.deps
  for (const unit of ['prod/app', 'dev/app']) await push(control, unit, stateText(1))
  const other = await control.orgs.create({ name: 'other' }, caller)
  const found = (org: string | null, unit: string | null, check: string): DoctorFinding => ({
    level: 'error',
    check,
    message: `found-${org === null ? 'bucket' : org === 'default' ? 'own' : 'other'}-${unit ?? check}`,
    hint: 'Run `taco doctor --repair`.',
    unit,
    org,
    repaired: false,
  })
  Object.assign(control.upkeep, {
    doctor: async function* () {
      yield found('default', 'prod/app', 'unit.x')
      yield found('default', 'dev/app', 'unit.x')
      yield found('default', null, 'unit.document')
      yield found(other.id, 'secret/unit', 'unit.x')
      yield found(null, null, 'bucket.clock')
      yield found(null, null, 'journal.x')
      await Promise.resolve()
    },
  })
  await health.checks.start({ kind: 'bucket' }, { deep: false, repair: false }, caller)
  await expect.poll(async () => (await health.checks.show({ kind: 'bucket' }))?.attempt.state).toBe('done')
  await face.policy('default', (all) => {
    const rules = [
      { effect: 'allow', actions: ['*'] },
      { effect: 'deny', actions: ['*'], units: ['prod/**'] },
    ] as const
    return putRole(all, { name: 'most', rules: [...rules] })
  })
  const as = async (role: string) => {
    const person = await face.person(face.fresh('person'))
    await face.policy('default', (all) => bind(all, { role, to: `user:${person.id}` }))
    return { person, browser: await browserFor(face, person) }
  }
  const seen = async ({ browser }: Awaited<ReturnType<typeof as>>) => {
    const page = await browser.get(PATH)
    const json = await browser.get(`${PATH}?format=json`)
    const words = (text: string) => [...text.matchAll(/found-[\w-]+(?:[/.]\w+)?/g)].map(([word]) => word)
    expect(words(json.text)).toEqual(words(page.text))
    return { words: words(page.text), page }
  }

  const owner = await as('owner')
  const ofOwner = await seen(owner)
  expect(ofOwner.words).toEqual([
    'found-own-prod/app',
    'found-own-dev/app',
    'found-own-unit.document',
    'found-bucket-bucket.clock',
  ])
  expect(ofOwner.page.text).toContain('<code>taco doctor --repair</code>')
  expect(ofOwner.page.text).not.toContain('Check now')
  for (const form of ['check', 'repair'])
    expect((await owner.browser.submit(`${PATH}/${form}`, { confirm: 'repair' })).status).toBe(403)

  const most = await as('most')
  expect((await seen(most)).words).toEqual(['found-own-dev/app', 'found-bucket-bucket.clock'])
  expect((await (await browserOf(face, 'dan', ['dev/**'])).get(PATH)).status).toBe(403)
  const admin = await as('admin')
  expect((await admin.browser.submit(`${PATH}/audit`)).status).toBe(403)

  await face.signIn.settings.addAdministrator(`user:${owner.person.id}`, face.setUp)
  const ofAdministrator = await seen(owner)
  expect(ofAdministrator.words).toContain('found-other-secret/unit')
  expect(ofAdministrator.page.text).toContain('in other')
})

test('the audit log is verified in the background', async () => {
  const face = await startWebFace()
  const browser = createTestBrowser(face)
  await push(face.deps.control, 'prod/app', stateText(1))
  expect((await browser.get(PATH)).text).toContain('It has not been compared with its seals yet.')
  await browser.submit(`${PATH}/audit`)
  await expect
    .poll(async () => (await browser.get(`${PATH}?part=audit`)).text)
    .toContain('It matches its seals.')
})
