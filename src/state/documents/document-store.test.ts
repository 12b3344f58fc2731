import { expect, test } from 'vitest'
import { z } from 'zod'
import { systemClock } from '../../base/clock.ts'
import { randomIds } from '../../base/ids.ts'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import {
  Answered,
  type Bucket,
  type DocumentKind,
  createDocumentStore,
  documentFields,
  layerPrefix,
  openObject,
  openWord,
} from '../../bucket/index.ts'
import { alice, keysUnder, openControl, overwrite } from '../../../test/support/state.ts'
import { Event } from './model.ts'

/** A new kind of document, all of it: a schema, where it is stored, and two transitions. */
const Team = openObject({
  ...documentFields(1),
  org: z.string(),
  name: z.string(),
  members: z.array(openObject({ person: z.string(), role: openWord(z.enum(['reader', 'admin'])) })),
  answered: z.array(Answered).optional(),
  outbox: z.array(Event),
})
type Team = z.infer<typeof Team>

const teamKind: DocumentKind<Team, { readonly org: string; readonly name: string }> = {
  name: 'team',
  format: { schema: Team, major: 1, minor: 0 },
  keyOf: ({ org, name }) => `${layerPrefix(org, 'teams')}${name}.json`,
  refOf: ({ org, name }) => ({ org, name }),
  cache: { most: 100 },
}

function admit(team: Team, person: string): Team {
  if (team.members.some((member) => member.person === person)) return team
  return { ...team, members: [...team.members, { person, role: 'reader' }] }
}

function promote(team: Team, person: string): Team {
  const role = (member: Team['members'][number]) => (member.person === person ? 'admin' : member.role)
  return { ...team, members: team.members.map((member) => ({ ...member, role: role(member) })) }
}

const platform = { org: 'default', name: 'platform' }
const key = teamKind.keyOf(platform)

/** Two servers over one bucket, and what they ask of it. */
async function servers(bucket = openMemoryBucket()) {
  const requests: string[] = []
  const counting: Bucket = {
    ...bucket,
    get: ((...args: Parameters<Bucket['get']>) => {
      requests.push('get')
      return bucket.get(...args)
    }) as Bucket['get'],
    put: (...args) => {
      requests.push('put')
      return bucket.put(...args)
    },
  }
  const control = await openControl(bucket)
  const { outbox } = control
  const teamsOf = () =>
    createDocumentStore<Team, { org: string; name: string }, Event>(
      { bucket: counting, clock: systemClock, ids: randomIds, outbox },
      teamKind,
    )
  const told = (type: string) => outbox.make({ org: 'default' }, { type: type as never, caller: alice })
  return { bucket, control, requests, told, one: teamsOf(), two: teamsOf() }
}

const names = (team: Team | undefined) => team?.members.map(({ person, role }) => `${person}:${role}`)

test('a document is created once, and found by every server', async () => {
  const { one, two } = await servers()

  expect(await one.create(platform, { ...platform, members: [] })).toMatchObject({
    key,
    value: { v: 1, rev: 1, members: [] },
  })
  expect(await two.create(platform, { ...platform, members: [] })).toBeUndefined()
  expect((await two.get(platform)).value).toMatchObject({ v: 1, rev: 1, ...platform })
  await expect(two.get({ ...platform, name: 'none' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('two servers that change a document at the same time lose nothing', async () => {
  const { one, two } = await servers()
  await one.create(platform, { ...platform, members: [] })
  const people = Array.from({ length: 10 }, (_, i) => `p${i}`)

  await Promise.all(
    people.map((person, i) =>
      (i % 2 ? one : two).change(platform, (team) => ({ value: admit(team, person), answer: null })),
    ),
  )
  const { value } = await two.change(platform, (team) => ({ value: promote(team, 'p3'), answer: null }))

  expect(names(value)?.toSorted()).toEqual(people.map((one) => (one === 'p3' ? 'p3:admin' : `${one}:reader`)))
  expect(value.rev).toBe(12)
})

test('a change costs one read and one write, and a document in memory is not sent again', async () => {
  const { one, requests } = await servers()
  await one.create(platform, { ...platform, members: [] })
  expect(requests.splice(0)).toEqual(['put'])

  await one.change(platform, (team) => ({ value: admit(team, 'bob'), answer: null }))
  expect(requests.splice(0)).toEqual(['get', 'put'])

  const unchanged = await one.find(platform)
  expect(await one.find(platform)).toBe(unchanged)
  await one.change(platform, (team) => ({ value: admit(team, 'bob'), answer: null }))
  expect(requests.splice(0)).toEqual(['get', 'get', 'get'])
})

test('a request that is repeated makes its change once', async () => {
  const { one, two } = await servers()
  await one.create(platform, { ...platform, members: [] })
  const asking = { request: { key: 'k', digest: 'd' } }
  const add = (team: Team, before: Answered | undefined) => ({
    value:
      before === undefined ? { ...team, members: [...team.members, { person: 'x', role: 'reader' }] } : team,
    answer: before !== undefined,
  })

  expect(await one.change(platform, add, asking)).toMatchObject({ answer: false })
  expect(await two.change(platform, add, asking)).toMatchObject({ answer: true })
  expect(names((await two.get(platform)).value)).toEqual(['x:reader'])
  const other = { request: { key: 'k', digest: 'another' } }
  await expect(two.change(platform, add, other)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
})

test('the events of a change reach the journal, also those that a killed server left in the document', async () => {
  const bucket = openMemoryBucket()
  const killed = await servers(bucket)
  const left = { ...killed.told('team.created'), at: Date.now() - 60_000 }
  await killed.one.create(platform, { ...platform, members: [] })
  const text = JSON.parse(String(await (await bucket.get(key))?.bytes())) as object
  await overwrite(bucket, key, JSON.stringify({ ...text, outbox: [left] }))

  const { control, one, told } = await servers(bucket)
  await one.change(platform, (team) => ({
    value: admit(team, 'bob'),
    events: [told('team.admitted')],
    answer: null,
  }))
  await control.close()

  const { items } = await (await openControl(bucket)).journal.read({ limit: 100 }, alice)
  expect(items.map(({ type }) => type)).toEqual(expect.arrayContaining(['team.created', 'team.admitted']))
})

test('unreadable documents are reported, and take nothing else with them', async () => {
  const { bucket, one } = await servers()
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    await one.create({ org: 'default', name }, { org: 'default', name, members: [] })
  const at = (name: string) => teamKind.keyOf({ org: 'default', name })
  await overwrite(bucket, at('b'), '{"v":1')
  await overwrite(bucket, at('c'), '{"v":2}')
  await overwrite(bucket, at('d'), String(await (await bucket.get(at('a')))?.bytes()))

  const found = await one.readAll(await one.entries(layerPrefix('default', 'teams')))

  expect(found.loaded.map(({ value }) => value.name)).toEqual(['a', 'e'])
  expect(found.unreadable).toMatchObject([
    { key: at('b'), isNewer: false },
    { key: at('c'), isNewer: true },
    { key: at('d'), isNewer: false },
  ])
  await expect(one.get({ org: 'default', name: 'b' })).rejects.toMatchObject({ code: 'BUCKET_CORRUPT' })
  await expect(one.get({ org: 'default', name: 'c' })).rejects.toMatchObject({ code: 'BUCKET_NEWER' })
  await expect(one.get({ org: 'default', name: 'd' })).rejects.toThrow('belongs to another team')
})

test('what a newer server added survives a change; a newer major is refused and left alone', async () => {
  const { bucket, one } = await servers()
  await one.create(platform, { ...platform, members: [] })
  const newer = {
    ...(await one.get(platform)).value,
    minor: 3,
    colour: 'blue',
    members: [{ person: 'ann', role: 'approver', since: 7 }],
  }
  await overwrite(bucket, key, JSON.stringify(newer))

  const { value } = await one.change(platform, (team) => ({ value: admit(team, 'bob'), answer: null }))

  expect(value).toMatchObject({ v: 1, minor: 3, colour: 'blue' })
  expect(value.members[0]).toEqual({ person: 'ann', role: 'approver', since: 7 })
  await overwrite(bucket, key, JSON.stringify({ ...newer, v: 2 }))
  const change = one.change(platform, (team) => ({ value: admit(team, 'eve'), answer: null }))
  await expect(change).rejects.toMatchObject({ code: 'BUCKET_NEWER' })
})

test('a document that a newer minor made unreadable is newer, not damaged', async () => {
  const { bucket, one } = await servers()
  await overwrite(bucket, key, JSON.stringify({ v: 1, minor: 9, members: 'see elsewhere' }))

  await expect(one.find(platform)).rejects.toMatchObject({
    code: 'BUCKET_NEWER',
    message: expect.stringContaining('format 1.9') as string,
  })
})

test('a removed document is gone for every server, and removing it again changes nothing', async () => {
  const { bucket, one, two } = await servers()
  await one.create(platform, { ...platform, members: [] })
  await two.find(platform)
  await one.remove(platform)
  await one.remove(platform)

  expect(await two.find(platform)).toBeUndefined()
  expect(two.cached(platform)).toBeUndefined()
  expect(await keysUnder(bucket, layerPrefix('default', 'teams'))).toEqual([])
})
