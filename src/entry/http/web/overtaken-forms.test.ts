import { expect, test } from 'vitest'
import { type SsoFace, startSsoFace } from '../../../../test/rig/sso-face.ts'
import { createTestBrowser } from '../../../../test/rig/web-face.ts'
import { bind } from '../../../access/index.ts'

type Fields = Readonly<Record<string, string>>
type AsRoot = (method: string, path: string, body: unknown) => Promise<Record<string, unknown>>

interface Case {
  /** Makes what the form changes. Gives the page of the form. */
  make(asRoot: AsRoot): Promise<string>
  readonly form: RegExp
  readonly wrong: Fields
  readonly right: Fields
  /** What someone else does first. */
  other(asRoot: AsRoot, page: string): Promise<unknown>
}

const org = '/v1/orgs/default'
const workload = { issuer: 'https://ci.example', audience: 'taco', claims: { sub: ['a'] }, roles: ['reader'] }
const rule = { effect: 'allow', actions: 'unit:read', units: '', labels: '' }

const cases: Readonly<Record<string, Case>> = {
  'the limits of an organization': {
    make: () => Promise.resolve('/app/default/settings'),
    form: /settings\/limits$/,
    wrong: { units: 'x', versions: '', bytes: '' },
    right: { units: '10', versions: '', bytes: '' },
    other: (asRoot) => asRoot('PATCH', org, { limits: { units: 7 } }),
  },
  'a project': {
    make: async (asRoot) => {
      const { id } = await asRoot('POST', `${org}/projects`, { name: 'shop' })
      return `/app/default/settings/projects/${String(id)}`
    },
    form: /projects\/[^/]+$/,
    wrong: { name: 'shop', description: 'x'.repeat(2001) },
    right: { name: 'shop', description: 'mine' },
    other: (asRoot, page) =>
      asRoot('PATCH', `${org}/projects/${page.split('/').at(-1) ?? ''}`, { description: 'theirs' }),
  },
  'a team': {
    make: async (asRoot) => {
      await asRoot('POST', `${org}/teams`, { name: 'ops' })
      return '/app/default/people/teams/ops'
    },
    form: /teams\/ops\/settings$/,
    wrong: { name: 'ops', description: 'x'.repeat(501), groups: '' },
    right: { name: 'ops', description: 'mine', groups: '' },
    other: (asRoot) => asRoot('PATCH', `${org}/teams/ops`, { description: 'theirs' }),
  },
  'a role': {
    make: async (asRoot) => {
      await asRoot('PUT', `${org}/roles/look`, { rules: [{ effect: 'allow', actions: ['unit:read'] }] })
      return '/app/default/people/roles/look'
    },
    form: /people\/roles$/,
    wrong: { ...rule, was: 'look', name: 'look', actions: 'nonsense', do: 'save' },
    right: { ...rule, was: 'look', name: 'look', do: 'save' },
    other: (asRoot) =>
      asRoot('PUT', `${org}/roles/look`, {
        description: 'theirs',
        rules: [{ effect: 'deny', actions: ['state:write'] }],
      }),
  },
  'a role to which a rule is added': {
    make: async (asRoot) => {
      await asRoot('PUT', `${org}/roles/look`, { rules: [{ effect: 'allow', actions: ['unit:read'] }] })
      return '/app/default/people/roles/look'
    },
    form: /people\/roles$/,
    wrong: { ...rule, was: 'look', name: 'look', do: 'add' },
    right: { ...rule, was: 'look', name: 'look', do: 'save' },
    other: (asRoot) =>
      asRoot('PUT', `${org}/roles/look`, {
        description: 'theirs',
        rules: [{ effect: 'deny', actions: ['state:write'] }],
      }),
  },
  'a workload rule': {
    make: async (asRoot) => {
      await asRoot('PUT', `${org}/workloads/ci`, workload)
      return '/app/default/people/workloads?edit=ci'
    },
    form: /people\/workloads$/,
    wrong: { was: 'ci', ...workload, claims: 'nonsense', roles: 'reader', minutes: 'x' },
    right: { was: 'ci', ...workload, claims: 'sub=a', roles: 'reader', minutes: '5' },
    other: (asRoot) => asRoot('PUT', `${org}/workloads/ci`, { ...workload, audience: 'theirs' }),
  },
  'a variable set': {
    make: async (asRoot) => {
      const { id } = await asRoot('POST', `${org}/variable-sets`, { name: 'aws' })
      return `/app/default/variables/${String(id)}?tab=settings`
    },
    form: /variables\/[^/]+\/settings$/,
    wrong: { name: 'aws', units: 'nonsense' },
    right: { name: 'aws', description: 'mine' },
    other: (asRoot) => asRoot('PATCH', `${org}/variable-sets/aws`, { description: 'theirs' }),
  },
}

/** An owner of the organization. */
async function open(face: SsoFace) {
  const person = await face.person('olga')
  await face.policy('default', (all) => bind(all, { role: 'owner', to: `user:${person.id}` }))
  const browser = createTestBrowser(face)
  browser.cookies.set('taco', (await face.session(person))['cookie']?.replace('taco=', '') ?? '')
  const asRoot: AsRoot = async (method, path, body) => {
    const headers = { ...face.root, 'content-type': 'application/json' }
    const answer = await face.send(path, { method, headers, body: JSON.stringify(body) })
    if (answer.status > 299) throw new Error(`${method} ${path}: ${answer.text}`)
    return answer.text === '' ? {} : answer.json()
  }
  return { browser, asRoot }
}

/** What the form remembers of what was there when its page was shown. */
function remembered(html: string, form: RegExp): { readonly action: string; readonly fields: Fields } {
  const forms = [...html.matchAll(/<form[^>]* action="([^"]+)"[^>]*>(.*?)<\/form>/gs)]
  const [, action = '', inside = ''] = forms.find(([, to = '']) => form.test(to)) ?? []
  const [, name = '', value = ''] = /type="hidden" name="(etag|seen|tag)" value="([^"]*)"/.exec(inside) ?? []
  return { action, fields: { [name]: value } }
}

test.each(Object.entries(cases))(
  '%s: a mistake in the form does not make it forget what was there before',
  async (_, { make, form, wrong, right, other }) => {
    const { browser, asRoot } = await open(await startSsoFace())
    const page = await make(asRoot)
    const first = remembered((await browser.get(page)).text, form)
    await other(asRoot, page)

    const again = await browser.submit(first.action, { ...first.fields, ...wrong })
    const second = remembered(again.text, form)
    const last = await browser.submit(second.action, { ...second.fields, ...right })

    expect([again.status, last.status]).toEqual([wrong['do'] === 'add' ? 200 : 400, 409])
    expect(second.fields).toEqual(first.fields)
    expect(last.text).toMatch(/class="notice fail".*(theirs|>7<).*<\/form>/s)
  },
)
