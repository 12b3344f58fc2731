import { expect, test } from 'vitest'
import { addGuard, addTeam, bind, putRole, putWorkload } from '../../../access/organization/transitions.ts'
import { openMemoryBucket } from '../../../bucket/adapters/memory.ts'
import type { Bucket } from '../../../bucket/index.ts'
import { archive, chunksOf } from '../../../../test/rig/registry-world.ts'
import { type SsoFace, startSsoFace } from '../../../../test/rig/sso-face.ts'
import { createTestBrowser } from '../../../../test/rig/web-face.ts'

/** How many requests reach the bucket. */
function countedBucket() {
  const inner = openMemoryBucket()
  const count = { requests: 0 }
  const bucket: Bucket = {
    ...inner,
    get: ((...asked: Parameters<Bucket['get']>) => {
      count.requests++
      return inner.get(...asked)
    }) as Bucket['get'],
    list(...asked) {
      count.requests++
      return inner.list(...asked)
    },
  }
  return { bucket, count }
}

async function addRows({ deps, signIn, policy, setUp, fresh, id }: SsoFace, rows: number): Promise<void> {
  for (let i = 0; i < rows; i++) {
    const name = fresh('row')
    const person = await signIn.people.signIn(
      { provider: 'hub', subject: name, login: name, groups: [] },
      setUp,
    )
    await policy('default', (all) => {
      const team = { id: id('team'), name, members: [person.id], groups: [], createdAt: 1 }
      const rule = {
        name,
        issuer: 'https://i.example',
        claims: { sub: ['j'] },
        roles: ['reader'],
        ttlMs: 60_000,
      }
      const guard = { id: id('guard'), units: [name], at: 1, by: 'user:x' }
      const role = { name, rules: [] }
      const bound = bind(addTeam(all, team), { role: 'reader', to: `user:${person.id}` })
      return addGuard(putWorkload(putRole(bound, role), rule), guard)
    })
    await signIn.tokens.create(
      { name, owner: { kind: 'organization', org: 'default', roles: ['reader'] } },
      setUp,
    )
    await deps.variableSets.create('default', { name, global: true }, setUp)
    await deps.projects.create('default', { name, description: '', labels: {} }, setUp)
    const hook = { destination: 'generic', triggers: ['state:changed'], url: 'http://127.0.0.1:9/' } as const
    const scope = { kind: 'organization' } as const
    await deps.notifications.create('default', { name, ...hook, isEnabled: false, scope }, setUp)
    const module = await deps.registry.modules.create('default', { name, provider: 'null' }, setUp)
    const version = await deps.registry.modules.createVersion(
      'default',
      module.id,
      { version: '1.0.0' },
      setUp,
    )
    await deps.registry.modules.upload('default', module.id, version.id, { stream: chunksOf(archive) }, setUp)
  }
}

const LISTS = [
  '/people',
  '/people?tab=teams',
  '/people?tab=grants',
  '/people?tab=roles',
  '/people/tokens',
  '/people/workloads',
  '/people/guards',
  '/variables',
  '/registry',
  '/settings/notifications',
  '/settings/projects',
]

test('no list makes a request for each row, and every list is searched, sorted and exported whole', async () => {
  const { bucket, count } = countedBucket()
  const face = await startSsoFace({ bucket })
  const owner = await face.person('owner')
  await face.policy('default', (all) => bind(all, { role: 'owner', to: `user:${owner.id}` }))
  const browser = createTestBrowser(face)
  browser.cookies.set('taco', (await face.session(owner))['cookie']?.replace('taco=', '') ?? '')
  async function requests(path: string): Promise<number> {
    await browser.get(`/app/default${path}`)
    const before = count.requests
    expect((await browser.get(`/app/default${path}`)).status).toBe(200)
    return count.requests - before
  }
  await addRows(face, 2)
  const few = new Map<string, number>()
  for (const path of LISTS) few.set(path, await requests(path))
  await addRows(face, 13)

  for (const path of LISTS) {
    // What others do in the background is a few more.
    expect([path, (await requests(path)) - (few.get(path) ?? 0) < 6]).toEqual([path, true])
    const to = (more: string) => `/app/default${path}${path.includes('?') ? '&' : '?'}${more}`
    const all = (await browser.get(to('format=json'))).json() as unknown as Record<string, unknown>[]
    expect([path, all.length >= 15]).toEqual([path, true])
    const [column = ''] = Object.keys(all[0] ?? {})
    const order = async (sort: string) =>
      ((await browser.get(to(`format=json&sort=${sort}`))).json() as unknown as typeof all).map(
        (row) => row[column],
      )
    const ascending = await order(column)
    expect([path, await order(`-${column}`)]).toEqual([path, ascending.toReversed()])
    expect([path, ascending]).toEqual([path, ascending.toSorted((a, b) => (String(a) < String(b) ? -1 : 1))])
    const one = (await browser.get(to('format=csv&search=row-1'))).text
    expect([path, one.split('\r\n').length < all.length + 2, one.includes('row-1')]).toEqual([
      path,
      true,
      true,
    ])
    expect((await browser.get(path === '/registry' ? to('') : to('search=nothing-like-this'))).text).toMatch(
      path === '/registry' ? /sort=/ : /Nothing matches|No notification matches/,
    )
  }
})
