import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defaultStateKey, nameKey } from './layout.ts'
import {
  flatName,
  nameFromFlat,
  parseNewUnitName,
  parseOrgName,
  parseStateKey,
  parseUnitName,
} from './names.ts'

test.each([
  'a',
  'prod/network/vpc',
  'prod.eu/app_1',
  'a/b.c/d-e',
  `${'x'.repeat(98)}/${'y'.repeat(101)}`,
  'with space/x',
])('%s is a name, and comes back from its one-segment form', (name) => {
  expect(parseNewUnitName(name)).toBe(name)
  expect(nameFromFlat(flatName(name))).toBe(name)
})

test('every key that is made from a name or a key fits into the names of a file system', () => {
  const char = fc.constantFrom('a', 'b', '_', '/')
  const mostBytes = (key: string) => Math.max(...key.split('/').map((part) => Buffer.byteLength(part)))
  fc.assert(
    fc.property(fc.string({ unit: char, minLength: 150, maxLength: 210 }), (text) => {
      const name = text.replaceAll(/\/+/g, '/').replaceAll(/^\/|\/$/g, '')
      if (!isParsed(parseNewUnitName, name)) return
      for (const can of [{}, { foldsCase: true }])
        expect(mostBytes(nameKey('o'.repeat(40), name, can))).toBeLessThanOrEqual(215)
      expect(mostBytes(`${defaultStateKey('o'.repeat(40), name)}.tflock`)).toBeLessThanOrEqual(215)
    }),
    { numRuns: 2000 },
  )
  for (const length of [207, 208, 209, 300]) {
    const key = `${'k'.repeat(length)}/x`
    if (isParsed(parseStateKey, key)) expect(mostBytes(`${key}.tflock`)).toBeLessThanOrEqual(215)
  }
})

function isParsed(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}

test('a name of 99 parts is refused by its own length, not by that of an internal key', () => {
  const name = Array.from({ length: 99 }, () => 'a').join('/')
  expect(name.length).toBeLessThan(200)
  expect(() => parseUnitName(name)).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST', facts: { field: 'unit' } }),
  )
})

test.each([
  '',
  '/',
  'a/',
  '/a',
  'a//b',
  '.',
  '..',
  'a/../b',
  'a/./b',
  'a--b',
  '-a',
  'a-',
  'a/-b',
  '.taco',
  '.taco/x',
  'a\\b',
  'a\u0000b',
  'a%2Fb',
  'ws-1234567891234567',
  'x'.repeat(201),
  'a\nb',
  'ü',
])('%j is not a name, and the refusal names the field', (name) => {
  expect(() => parseUnitName(name)).toThrowError(
    expect.objectContaining({ code: 'BAD_REQUEST', facts: { field: 'unit' } }),
  )
})

test.each(['x/terraform.tfstate', 'x/terraform.tfstate/y', 'a.tflock'])(
  '%s is a name that is given to no unit any more, and comes back from its one-segment form',
  (name) => {
    expect(parseUnitName(name)).toBe(name)
    expect(nameFromFlat(flatName(name))).toBe(name)
    expect(() => parseNewUnitName(name)).toThrowError(
      expect.objectContaining({ code: 'BAD_REQUEST', facts: { field: 'unit' } }),
    )
  },
)

test('two different names never have the same one-segment form', () => {
  const segment = fc.stringMatching(/^[a-z0-9_.]([a-z0-9-]{0,3}[a-z0-9_.])?$/)
  const name = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
  fc.assert(
    fc.property(name, name, (a, b) => {
      if (!isName(a) || !isName(b) || a === b) return
      expect(flatName(a)).not.toBe(flatName(b))
    }),
  )
})

function isName(text: string): boolean {
  try {
    return parseUnitName(text) === text
  } catch {
    return false
  }
}

test.each(['prod/terraform.tfstate', 'env:/ws/key', 'a', 'x env:y'])(
  '%s can be the key of a state',
  (key) => {
    expect(parseStateKey(key)).toBe(key)
  },
)

test.each([
  '',
  '/a',
  'a/',
  '../a',
  'a/../b',
  '.taco/x',
  '.taco',
  'a\\b',
  'a\u0001',
  'x.tflock',
  'x'.repeat(901),
])('%j cannot be the key of a state', (key) => {
  expect(() => parseStateKey(key)).toThrowError(expect.objectContaining({ code: 'BAD_REQUEST' }))
})

test('organizations have plain names', () => {
  expect(parseOrgName('acme_eu-1')).toBe('acme_eu-1')
  for (const bad of ['', 'A', '-a', 'a-', 'a/b', '..', 'x'.repeat(41)])
    expect(() => parseOrgName(bad)).toThrow()
})
