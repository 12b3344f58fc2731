import { expect, test } from 'vitest'
import { outputValue, readOutputValues } from './output-values.ts'

const outputs = {
  plain: { value: { b: 1, a: [1.5, 'x'] }, type: 'dynamic' },
  'odd "name"': { value: null, type: 'string', sensitive: true },
  number: { value: 12345678901234567890n, type: 'number' },
}
const text = JSON.stringify(
  { version: 4, resources: [{ outputs: { not: { value: 1 } } }], outputs, serial: 1 },
  (_, value: unknown) => (typeof value === 'bigint' ? 'BIG' : value),
).replace('"BIG"', '12345678901234567890')

async function* cut(length: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

test.each([1, 3, 7, 1000])('values are read from a stream, cut every %i bytes', async (length) => {
  const values = await readOutputValues(
    cut(length),
    () => true,
    async (one) => outputValue(one),
  )

  expect(Object.fromEntries(values)).toEqual({
    plain: { type: '"dynamic"', json: '{"a":[1.5,"x"],"b":1}' },
    'odd "name"': { type: '"string"', json: 'null' },
    number: { type: '"number"', json: '12345678901234567890' },
  })
})

test('only those that are wanted are looked at', async () => {
  const looked: string[] = []
  const values = await readOutputValues(
    cut(10),
    (name) => name === 'number',
    async (one) => {
      looked.push(Buffer.from(one).toString())
      return outputValue(one)
    },
  )

  expect([...values.keys()]).toEqual(['number'])
  expect(looked).toEqual(['{"value":12345678901234567890,"type":"number"}'])
})
