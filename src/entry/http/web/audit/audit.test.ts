import { expect, test } from 'vitest'
import { z } from 'zod'
import { startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { createTestBrowser, startWebFace } from '../../../../../test/rig/web-face.ts'
import { push, stateText } from '../../../../../test/support/state.ts'
import { bind } from '../../../../access/index.ts'
import { momentIn } from './moment.ts'

const PATH = '/app/default/audit'

async function started() {
  const face = await startWebFace()
  await push(face.deps.control, 'prod/app', stateText(1))
  await push(face.deps.control, 'dev/app', stateText(1))
  const browser = createTestBrowser(face)
  // Records follow the writes that they are about.
  await expect.poll(async () => (await browser.get(PATH)).text).toMatch(/units\/dev--app[^]*units\/prod--app/)
  return browser
}

test('records are listed newest first, and filtered by what is in the address', async () => {
  const browser = await started()

  const all = await browser.get(PATH)
  const one = await browser.get(`${PATH}?unit=prod%2Fapp&result=done&since=2020-01-01&who=`)
  const refused = await browser.get(`${PATH}?result=refused`)
  const old = await browser.get(`${PATH}?until=2020-01-01`)

  expect(all.status).toBe(200)
  expect(all.text.indexOf('units/dev--app')).toBeLessThan(all.text.indexOf('units/prod--app'))
  expect(one.text).toContain('units/prod--app')
  expect(one.text).not.toContain('units/dev--app')
  expect(one.text).toContain('taco audit --unit prod/app --result done --since 2020-01-01')
  expect(one.text).toMatch(/id="since"[^>]*value="2020-01-01T00:00"/)
  for (const none of [refused, old]) expect(none.text).toContain('No record matches.')
})

test('an export has all records that match', async () => {
  const browser = await started()

  const csv = await browser.get(`${PATH}?unit=prod%2Fapp&format=csv`)
  const json = await browser.get(`${PATH}?unit=prod%2Fapp&format=json`)

  expect(csv.headers['content-disposition']).toBe('attachment; filename="audit.csv"')
  expect(csv.text).toMatch(/^at,by,result,action,unit,address,event,request\r\n/)
  expect(csv.text).toContain('prod/app')
  expect(csv.text).not.toContain('dev/app')
  const units = z.array(z.object({ unit: z.string() })).parse(JSON.parse(json.text))
  expect(new Set(units.map(({ unit }) => unit))).toEqual(new Set(['prod/app']))
})

test.each([
  ['since=yesterday', 'since'],
  ['until=2026-13-40', 'until'],
])('%s is refused at its field, and the rest is kept', async (query, field) => {
  const browser = await started()

  const { status, text } = await browser.get(`${PATH}?who=bob&${query}`)

  expect(status).toBe(400)
  expect(text).toContain('This is not a time.')
  expect(text).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"`))
  expect(text).toMatch(/id="who"[^>]*value="bob"/)
})

test('a day goes to its end, a time is as it is, and nothing else is a time', () => {
  const day = Date.parse('2026-03-04T00:00:00Z')

  expect(momentIn('2026-03-04', 'first')).toBe(day)
  expect(momentIn('2026-03-04', 'last')).toBe(day + 86_399_999)
  expect(momentIn('2026-03-04T05:06', 'last')).toBe(day + (5 * 60 + 6) * 60_000)
  expect(momentIn('2026-03-04T05:06:07Z', 'first')).toBe(day + (5 * 60 + 6) * 60_000 + 7_000)
  expect(momentIn('', 'first')).toBeUndefined()
  for (const wrong of ['x', '2026', '2026-02-30T99:00', '12h']) expect(momentIn(wrong, 'first')).toBeNull()
})

test('only those who may read the audit log have the page and its line in the navigation', async () => {
  const face = await startSsoFace()
  const [ann, bob, eve] = [await face.person('ann'), await face.person('bob'), await face.person('eve')]
  await face.policy('default', (policy) => {
    const audited = bind(policy, { role: 'auditor', to: `user:${ann.id}` })
    const narrowed = bind(audited, { role: 'auditor', to: `user:${bob.id}`, units: ['dev/**'] })
    return bind(narrowed, { role: 'reader', to: `user:${bob.id}` })
  })
  const answers = []
  for (const person of [ann, bob, eve]) {
    const browser = createTestBrowser(face)
    const { cookie = '' } = await face.session(person)
    browser.cookies.set('taco', cookie.replace('taco=', ''))
    const { text } = await browser.get('/app/default')
    answers.push([(await browser.get(PATH)).status, text.includes(`href="${PATH}"`)])
  }

  expect(answers).toEqual([
    [200, true],
    [403, false],
    [404, false],
  ])
})

test('a record has a page with everything that is known of it', async () => {
  const browser = await started()
  const { text } = await browser.get(`${PATH}?unit=prod%2Fapp`)
  const [, href = ''] = /href="([^"]*\/audit\/[^"]+)"/.exec(text) ?? []

  const page = await browser.get(href.replaceAll('&amp;', '&'))
  const [, hour] = /at=([^"&]+)/.exec(href) ?? []
  const missing = await browser.get(`${PATH}/none?at=${hour}`)

  expect(page.status).toBe(200)
  expect(page.text).toContain('units/prod--app')
  expect(page.text).toContain('audit?action=')
  expect(missing.status).toBe(404)
})
