import { expect, test } from 'vitest'
import { browserOf, startSsoFace } from '../../../../test/rig/sso-face.ts'
import { stateText } from '../../../../test/support/state.ts'

/** The fields of the form that goes to this address, as they are filled in. */
function hiddenIn(html: string, action: string): Record<string, string> {
  const forms = [...html.matchAll(/<form[^>]* action="([^"]+)"[^>]*>(.*?)<\/form>/gs)]
  const inside = forms.find(([text, to]) => to === action && text.includes('method="post"'))?.[2] ?? ''
  const fields = inside.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)
  return Object.fromEntries(Array.from(fields, ([, name = '', value = '']) => [name, value]))
}

async function open() {
  const face = await startSsoFace()
  return { face, browser: await browserOf(face, 'olga', 'all') }
}

test.each([
  ['/account/tokens', { name: 'laptop', days: '30' }],
  [
    '/app/default/people/tokens',
    { name: 'laptop', kind: 'organization', roles: 'reader', days: '30', team: '' },
  ],
])(
  'a token whose form at %s is sent twice is created once, and the second answer says so',
  async (path, given) => {
    const { browser } = await open()
    const hidden = hiddenIn((await browser.get(path)).text, path)

    const first = await browser.submit(path, { ...hidden, ...given })
    const second = await browser.submit(path, { ...hidden, ...given })
    const after = await browser.get(path)
    const other = await browser.submit(path, { ...hidden, ...given, name: 'desktop' })

    expect([first.status, second.status, second.location, other.status]).toEqual([200, 303, path, 200])
    expect(first.text).toMatch(/taco_(pat|org)_/)
    expect(after.text).toContain('This form was sent before, and created its token then.')
    expect(after.text.match(/Revoke laptop/g)?.length).toBe(first.text.match(/Revoke laptop/g)?.length)
  },
)

test('a notification whose form is sent twice is created once', async () => {
  const { face, browser } = await open()
  const path = '/app/default/settings/notifications'
  const hidden = hiddenIn((await browser.get(`${path}/new`)).text, path)
  const given = {
    ...hidden,
    scope: 'organization',
    destination: 'generic',
    name: 'alerts',
    url: 'https://example.com/hook',
    triggers: 'rollout:failed',
  }

  const [first, second] = [await browser.submit(path, given), await browser.submit(path, given)]

  expect([first.status, second.status]).toEqual([303, 303])
  expect(second.location).toBe(first.location)
  const list = await face.send('/v1/orgs/default/notifications', { headers: face.root })
  expect(list.json()['items']).toHaveLength(1)
})

test('a form that is changed after going back to it asks for something else', async () => {
  const { face, browser } = await open()
  for (const unit of ['a', 'b'])
    await face.send(`/v1/units/${unit}/state`, {
      method: 'PUT',
      headers: { ...face.root, 'content-type': 'application/json' },
      body: stateText(1),
    })
  const path = '/app/default/rollouts'
  const hidden = hiddenIn((await browser.get(`${path}/new?from=a`)).text, path)

  const sent = [
    await browser.submit(path, { ...hidden, from: 'a' }),
    await browser.submit(path, { ...hidden, from: 'a' }),
    await browser.submit(path, { ...hidden, from: 'b' }),
  ]

  expect(sent.map(({ status }) => status)).toEqual([303, 303, 303])
  const [first, again, other] = sent.map(({ location }) => location)
  expect(again).toBe(first)
  expect(other).not.toBe(first)
})
