import { expect, test } from 'vitest'
import { packTexts, unpackText } from './packed-texts.ts'

const texts = Array.from({ length: 1000 }, (_, i) => JSON.stringify({ name: `prod/ünit-${i}\n`, rev: i }))

test('every text comes back, in any order', () => {
  const packed = packTexts(texts)
  for (const i of [0, 999, 63, 64, 500, 1]) {
    const one = packed[i]
    expect(one === undefined ? undefined : unpackText(one)).toBe(texts[i])
  }
})

test('texts that are alike take little room', () => {
  const blocks = new Set(packTexts(texts).map(({ block }) => block))
  const packedBytes = [...blocks].reduce((sum, block) => sum + block.length, 0)
  expect(packedBytes).toBeLessThan(texts.join('').length / 4)
})

test('a damaged block throws', () => {
  expect(() => unpackText({ block: Buffer.from('nonsense'), at: 0 })).toThrow()
  const [one] = packTexts(['{}'])
  expect(() => unpackText({ block: one?.block ?? Buffer.alloc(0), at: 1 })).toThrow('no such text')
})
