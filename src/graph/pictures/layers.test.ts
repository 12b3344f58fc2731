import { expect, test } from 'vitest'
import { MOST_BOXES, layInLayers } from './layers.ts'

const box = { width: 120, height: 36 }

test('what is used is to the left of what uses it, and no two boxes overlap', async () => {
  const lines = [
    { from: 0, to: 1, label: 'vpc_id' },
    { from: 0, to: 2 },
    { from: 1, to: 2 },
    { from: 0, to: 1 },
  ]

  const laid = await layInLayers([box, box, box, box], lines)

  const [a, b, c, alone] = laid.boxes
  expect(a?.x).toBeLessThan(b?.x ?? 0)
  expect(b?.x).toBeLessThan(c?.x ?? 0)
  expect(alone?.y).not.toBe(a?.y)
  for (const { x, y } of laid.boxes) {
    expect(x).toBeGreaterThanOrEqual(60)
    expect(x).toBeLessThanOrEqual(laid.width - 60)
    expect(y).toBeLessThanOrEqual(laid.height - 18)
  }
  expect(laid.lines).toHaveLength(4)
  for (const { d } of laid.lines) expect(d).toMatch(/^M[\d.]+ [\d.]+C[\d. -]+$/)
  expect(laid.lines[0]?.label).toBeDefined()
  expect(laid.lines[1]?.label).toBeUndefined()
})

test('lines beyond those that are routed lead straight from box to box', async () => {
  const boxes = Array.from({ length: 60 }, () => box)
  const lines = boxes.flatMap((_, from) => boxes.flatMap((__, to) => (from < to ? [{ from, to }] : [])))

  const laid = await layInLayers(boxes, lines)

  expect(laid.lines).toHaveLength(1770)
  for (const { d } of laid.lines) expect(d).toMatch(/^M-?[\d.]+ [\d.]+C[\d. -]+$/)
})

test('more boxes than anyone can read are refused', async () => {
  const many = Array.from({ length: MOST_BOXES + 1 }, () => box)

  await expect(layInLayers(many, [])).rejects.toMatchObject({
    code: 'BAD_REQUEST',
  })
})
