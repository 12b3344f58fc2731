import { expect, test } from 'vitest'
import { isTacoError } from '../../src/base/errors.ts'
import { bodyOf } from '../../src/bucket/body.ts'
import type { Tag } from '../../src/bucket/bucket.ts'
import { create, textAt } from './bucket-conditions.ts'
import { keysUnder } from './bucket-list.ts'
import type { ContractContext, ContractSkip } from './bucket.ts'

const oddKeys: readonly (readonly [key: string, skip?: ContractSkip])[] = [
  ['plain'],
  ['with space'],
  [' leading and trailing '],
  ['per%cent'],
  ['per%20cent'],
  ['per%2Fcent'],
  ['plus+plus'],
  ['a--b'],
  ['env:/ws/key'],
  ['networkenv:prod'],
  ["it's (1)!*~"],
  ['#?&=;:@$,'],
  ['[x]{y}|^`"<>&amp;'],
  ['back\\slash', 'backslash'],
  ['.hidden/..twodots/...'],
  ['dots.in.the.middle/a..b'],
  ['ends.with.dot.', 'trailingDot'],
  ['folder./file', 'trailingDot'],
  ['äöü/ñandú/日本語'],
  ['decomposed-e\u0301'],
  ['composed-\u00e9'],
  ['emoji-😀'],
  ['UPPER'],
  ['upper'],
  ['~tilde_under-dash'],
  ['terraform.tfstate'],
  ['terraform.tfstate.tflock'],
  [`${'x'.repeat(200)}/${'y'.repeat(200)}`],
  [`${`${'z'.repeat(100)}/`.repeat(8)}end`],
  ['g/1'],
  ['p/1.nonce'],
  ['index.html'],
  ['con'],
  ['-rf'],
  ['0'],
]

const badKeys = [
  '',
  '/',
  '/leading',
  'trailing/',
  'double//slash',
  '.',
  '..',
  'a/../b',
  '../b',
  'a/./b',
  'a/..',
  'nul\u0000byte',
  'line\nbreak',
  'lone\ud800surrogate',
  'x'.repeat(1025),
  'ü'.repeat(513),
]

export function keyTests(context: ContractContext): void {
  test('odd keys are kept as given', async () => {
    const [one, two] = context.clients()
    const folder = context.folder()
    const keys = oddKeys.flatMap(([key, skip]) =>
      skip !== undefined && skip in context.skips ? [] : [folder + key],
    )

    for (const key of keys) {
      const tag = await create(one, key, key)
      expect(await textAt(two, key)).toBe(key)
      expect(await two.head(key)).toMatchObject({ key, tag })
      expect([key, (await two.put(key, bodyOf(`${key} again`), tag)).kind]).toEqual([key, 'written'])
    }

    expect((await keysUnder(one, folder)).toSorted()).toEqual(keys.toSorted())
    for (const key of keys) {
      expect(await keysUnder(two, key)).toContain(key)
      const head = await one.head(key)
      expect([key, await one.delete(key, head?.tag ?? ('' as Tag))]).toEqual([key, 'deleted'])
    }
    expect(await keysUnder(two, folder)).toEqual([])
  })

  test('one key may be the beginning of another', async (ctx) => {
    if (context.skips.keyUnderKey !== undefined) ctx.skip(context.skips.keyUnderKey)
    const [one] = context.clients()
    const folder = context.folder()

    await create(one, `${folder}a`, 'short')
    await create(one, `${folder}a/b`, 'long')

    expect(await textAt(one, `${folder}a`)).toBe('short')
    expect(await textAt(one, `${folder}a/b`)).toBe('long')
    expect(await keysUnder(one, `${folder}a/`)).toEqual([`${folder}a/b`])
  })

  test('a key that begins like another is not that one', async () => {
    const [one] = context.clients()
    const folder = context.folder()
    await create(one, `${folder}net/work`, 'x')

    expect(await one.get(`${folder}net`)).toBeUndefined()
    expect(await one.head(`${folder}net`)).toBeUndefined()
    expect(await one.head(`${folder}net/wor`)).toBeUndefined()
  })

  test.each(badKeys.map((key) => [JSON.stringify(key).slice(0, 40), key]))(
    'the key %s is refused by name',
    async (_, key) => {
      const [one] = context.clients()
      const named = (error: unknown) =>
        isTacoError(error, 'BAD_REQUEST') &&
        error.message.includes(JSON.stringify(key)) &&
        error.facts['field'] === 'key'

      const outcomes = await Promise.allSettled([
        one.get(key),
        one.head(key),
        one.put(key, bodyOf('x'), 'absent'),
        one.delete(key, '"x"' as Tag),
      ])

      for (const outcome of outcomes)
        expect(outcome.status === 'rejected' && named(outcome.reason)).toBe(true)
    },
  )

  test.each(['../', 'a/../', '/a', 'a//'])('the prefix %s is refused', async (prefix) => {
    const [one] = context.clients()

    const error: unknown = await keysUnder(one, prefix).catch((thrown: unknown) => thrown)

    expect(isTacoError(error, 'BAD_REQUEST')).toBe(true)
  })
}
