import { expect, test } from 'vitest'
import { z } from 'zod'
import { systemClock } from '../../../../base/clock.ts'
import { TacoError } from '../../../../base/errors.ts'
import { createKeyRing } from '../../../../access/secrets/key-ring.ts'
import { testKey } from '../../../../../test/support/tokens.ts'
import { idBelow, partsOf } from '../ids.ts'
import { resource, toMany, toOne } from './body.ts'
import { jsonApiErrors } from './errors.ts'
import { includes } from './json-api.ts'
import { paged } from './paging.ts'
import { openSignedPart, ringSigner, secretSigner, signedPart } from './signed-urls.ts'
import { validated } from '../../kit/request/query.ts'

const x = { path: '/api/v2/things', query: 'page%5Bsize%5D=2&q=a' }

test('a page says where the others are', () => {
  const page = paged([1, 2, 3, 4, 5], { 'page[number]': 2, 'page[size]': 2 }, x)
  expect(page.items).toEqual([3, 4])
  expect(page.meta.pagination).toEqual({
    'current-page': 2,
    'page-size': 2,
    'prev-page': 1,
    'next-page': 3,
    'total-pages': 3,
    'total-count': 5,
  })
  expect(page.links['next']).toBe('/api/v2/things?page%5Bsize%5D=2&q=a&page%5Bnumber%5D=3')
})

test('an empty list is one page', () => {
  const { items, meta } = paged([], { 'page[number]': 1, 'page[size]': 20 }, x)
  expect(items).toEqual([])
  expect(meta.pagination).toMatchObject({ 'total-pages': 1, 'next-page': null, 'prev-page': null })
})

const body = resource('things', {
  attributes: { name: z.string(), size: z.number().optional() },
  relationships: { project: toOne('projects'), workspaces: toMany('workspaces') },
})

test('a body gives attributes and the ids of relations, and what it does not know is ignored', () => {
  const data = {
    type: 'things',
    attributes: { name: 'n', other: 1 },
    relationships: {
      project: { data: { type: 'projects', id: 'prj-1' } },
      workspaces: { data: [{ type: 'workspaces', id: 'ws-1' }] },
      later: { data: null },
    },
  }
  expect(validated(body.schema, { data })).toMatchObject({
    attributes: { name: 'n' },
    relationships: { project: 'prj-1', workspaces: ['ws-1'] },
  })
  expect(validated(body.schema, { data: { type: '', attributes: { name: 'n' } } })).toMatchObject({
    relationships: {},
  })
})

test.each([
  [{ data: { type: 'things', attributes: {} } }, '/data/attributes/name'],
  [{ data: { type: 'others', attributes: { name: 'n' } } }, '/data/type'],
  [{ data: { attributes: { name: 'n', size: '1' } } }, '/data/attributes/size'],
  [
    { data: { attributes: { name: 'n' }, relationships: { project: { data: { type: 'x', id: '1' } } } } },
    '/data/relationships/project/data/type',
  ],
  [{}, '/data'],
])('what is wrong with %j is pointed to', (given, pointer) => {
  let thrown: unknown
  try {
    validated(body.schema, given)
  } catch (error) {
    thrown = error
  }
  const { status, body: text } = jsonApiErrors(thrown, 'req-1')
  expect([status, JSON.parse(text)]).toMatchObject([
    422,
    { errors: [{ status: '422', title: 'invalid attribute', source: { pointer } }] },
  ])
})

test('missing and hidden things are answered with the same words', () => {
  const missing = jsonApiErrors(new TacoError('NOT_FOUND', 'There is no unit secret.'), 'r')
  expect([missing.status, missing.body.includes('secret')]).toEqual([404, false])
})

test('clients that are told to wait get a number of seconds', () => {
  const error = new TacoError('RATE_LIMITED', 'Slow down.', { facts: { retryAfterMs: 1500 } })
  expect(jsonApiErrors(error, 'r')).toMatchObject({ status: 429, headers: { 'x-ratelimit-reset': '2' } })
})

test('includes are read in either spelling', () => {
  expect([...includes({ include: 'task_stages,organization' })]).toEqual(['task-stages', 'organization'])
})

test('ids of things below a unit lead to it', () => {
  const id = idBelow('sv', 'ws-0123456789abcdef', 'sv-fedcba9876543210')
  expect(id).toBe('sv-0123456789abcdeffedcba9876543210')
  expect(partsOf('sv', id)).toEqual({ unit: 'ws-0123456789abcdef', own: 'fedcba9876543210' })
  for (const wrong of [
    'sv-0123456789abcdef',
    'ws-0123456789abcdeffedcba9876543210',
    'sv-',
    'sv-../../etc/passwd',
  ])
    expect(partsOf('sv', wrong)).toBeUndefined()
})

const signers = {
  'a key ring': () => ringSigner(createKeyRing([testKey('k1')])),
  'a root token': () => secretSigner(['a root token']),
}

test.each(Object.entries(signers))(
  'an address signed with %s opens what it was made for, until then',
  (_, make) => {
    const signer = make()
    const clock = systemClock
    const part = signedPart(signer, 'upload', { unit: 'ws-1' }, clock.now() + 60_000)
    expect(openSignedPart({ signer, clock }, 'upload', part)).toEqual({ unit: 'ws-1' })
    const other = signedPart(signer, 'upload', { unit: 'ws-2' }, clock.now() + 60_000)
    const mixed = `${other.split('.')[0]}.${part.split('.').slice(1).join('.')}`
    const late = signedPart(signer, 'upload', {}, clock.now() - 1)
    for (const wrong of [mixed, `${part}x`, part.slice(0, -2), '', 'x.y', late])
      expect(() => openSignedPart({ signer, clock }, 'upload', wrong)).toThrow('This address')
    expect(() => openSignedPart({ signer, clock }, 'download', part)).toThrow('is not valid')
  },
)
