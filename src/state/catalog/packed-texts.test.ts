import { expect, test } from 'vitest'
import { packTexts, unpackText } from './packed-texts.ts'

const texts = Array.from({ length: 1000 }, (_, i) => JSON.stringify({ name: `prod/ünit-${i}\n`, rev: i }))

test('every text comes back, in any order', async () => {
  const packed = await packTexts(texts)
  for (const i of [0, 999, 63, 64, 500, 1]) {
    const one = packed[i]
    expect(one === undefined ? undefined : unpackText(one)).toBe(texts[i])
  }
})

test('texts that are alike take little room', async () => {
  const blocks = new Set((await packTexts(texts)).map(({ block }) => block))
  const packedBytes = [...blocks].reduce((sum, block) => sum + block.length, 0)
  expect(packedBytes).toBeLessThan(texts.join('').length / 4)
})

test('a damaged block throws', async () => {
  expect(() => unpackText({ block: Buffer.from('nonsense'), at: 0 })).toThrow()
  const [one] = await packTexts(['{}'])
  expect(() => unpackText({ block: one?.block ?? Buffer.alloc(0), at: 1 })).toThrow('no such text')
})

test('between blocks others get their turn', async () => {
  let others = 0
  let isOver = false
  const other = () => {
    others++
    if (!isOver) setImmediate(other)
  }
  setImmediate(other)
  const slow = function* () {
    for (const text of texts) {
      // As long as a slice lasts, so that the next block has to wait.
      if (text.includes('0')) for (const until = performance.now() + 1; performance.now() < until;);
      yield text
    }
  }
  const packed = await packTexts(slow())
  isOver = true
  expect(packed).toHaveLength(texts.length)
  expect(others).toBeGreaterThan(3)
})
