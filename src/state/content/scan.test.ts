import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeEncryptedState, makeState } from '../../../bench/fixtures.ts'
import { MOST_OUTPUTS, scanState, StateScan } from './scan.ts'

const key = Buffer.alloc(32, 7)
const head = { version: 4, terraform_version: '1.9.0', serial: 3, lineage: 'abc', outputs: {}, resources: [] }

function scan(content: unknown): ReturnType<typeof scanState> {
  return scanState(Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)), {
    sensitiveKey: key,
  })
}

function outputsOf(json: string): Record<string, string> {
  const { outputs } = scan(`{"version":4,"serial":1,"lineage":"l","outputs":${json}}`)
  return Object.fromEntries((outputs ?? []).map(({ name, digest }) => [name, digest]))
}

test('a state reports its serial, lineage, version, instances and outputs', () => {
  const facts = scan({
    ...head,
    outputs: {
      b: { value: [1], type: ['list', 'number'] },
      a: { value: 'x', type: 'string', sensitive: true },
    },
    resources: [
      { mode: 'managed', type: 't', name: 'n', instances: [{ attributes: { instances: [1, 2, 3] } }, {}] },
      { mode: 'data', type: 't', name: 'd', instances: [{}] },
      { mode: 'managed', type: 't', name: 'none', instances: [] },
    ],
    check_results: [{ instances: [1, 2] }],
  })

  expect(facts).toEqual({
    serial: 3,
    lineage: 'abc',
    terraformVersion: '1.9.0',
    encrypted: false,
    resources: 3,
    dataResources: 1,
    outputs: [
      {
        name: 'a',
        sensitive: true,
        type: '"string"',
        digest: expect.stringMatching(/^[\w-]{22}$/) as string,
      },
      {
        name: 'b',
        sensitive: false,
        type: '["list","number"]',
        digest: expect.stringMatching(/^[\w-]{22}$/) as string,
      },
    ],
  })
})

test('the facts are the same wherever the chunks are cut', () => {
  const bytes = makeState({ bytes: 20_000, outputs: 6 })
  const whole = scanState(bytes, { sensitiveKey: key })

  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 30 }), (cuts) => {
      const pieces = new StateScan({ sensitiveKey: key })
      let from = 0
      for (const cut of [...cuts].sort((a, b) => a - b)) {
        const chunk = new Uint8Array(bytes.subarray(from, cut))
        pieces.push(chunk)
        chunk.fill(0)
        from = cut
      }
      pieces.push(bytes.subarray(from))
      expect(pieces.finish()).toEqual(whole)
    }),
    { numRuns: 200 },
  )
  const single = new StateScan({ sensitiveKey: key })
  for (const byte of bytes) single.push(Uint8Array.of(byte))
  expect(single.finish()).toEqual(whole)
})

test('an encrypted state shows serial and lineage and nothing else', () => {
  const bytes = makeEncryptedState({ bytes: 1000, serial: 9, lineage: 'l' })

  expect(scanState(bytes)).toEqual({
    serial: 9,
    lineage: 'l',
    terraformVersion: undefined,
    encrypted: true,
    resources: undefined,
    dataResources: undefined,
    outputs: undefined,
  })
})

test.each([
  ['version', { ...head, version: 3 }],
  ['version', { ...head, version: undefined }],
  ['version', { ...head, version: '4' }],
  ['serial', { ...head, serial: undefined }],
  ['serial', { ...head, serial: -1 }],
  ['serial', { ...head, serial: 1.5 }],
  ['serial', { ...head, serial: '3' }],
  ['serial', { ...head, serial: 2 ** 53 }],
  ['lineage', { ...head, lineage: '' }],
  ['lineage', { ...head, lineage: undefined }],
  ['lineage', { ...head, lineage: 5 }],
  ['encryption_version', { ...head, encryption_version: 1 }],
  ['outputs', { ...head, outputs: [] }],
  ['outputs.a', { ...head, outputs: { a: 'x' } }],
  ['resources', { ...head, resources: {} }],
  ['Serial', { ...head, Serial: 4 }],
  ['ſerial', { ...head, ſerial: 4 }],
  ['lineage', { ...head, lineage: 'x'.repeat(5000) }],
])('a wrong %s is named', (field, state) => {
  expect(() => scan(state)).toThrow(expect.objectContaining({ code: 'STATE_FORMAT', facts: { field } }))
})

test('a repeated field is refused, whatever its spelling', () => {
  const twice = [
    ['serial', '{"version":4,"serial":1,"lineage":"l","serial":2}'],
    ['serial', '{"version":4,"serial":1,"lineage":"l","\\u0073erial":2}'],
    ['outputs.a', '{"version":4,"serial":1,"lineage":"l","outputs":{"a":{"value":1},"a":{"value":2}}}'],
    [
      'sensitive',
      '{"version":4,"serial":1,"lineage":"l","outputs":{"a":{"value":1,"sensitive":true,"sensitive":false}}}',
    ],
  ] as const

  for (const [field, text] of twice) {
    expect(() => scan(text)).toThrow(expect.objectContaining({ code: 'STATE_FORMAT', facts: { field } }))
  }
})

test.each(['', 'null', '[]', '4', '"x"', '{', 'not json', '{"version":4,}', '<html></html>'])(
  '%j is no state',
  (text) => {
    expect(() => scan(text)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^STATE_(NOT_JSON|FORMAT)$/) as string }),
    )
  },
)

test('an output keeps its digest in any notation, and only then', () => {
  const { a, b, c, d, e, f } = outputsOf(`{
    "a": {"value": {"x": 1.50, "y": [1e2, "é"]}, "type": ["object", {"x": "number", "y": "dynamic"}]},
    "b": {"type":["object",{"y":"dynamic","x":"number"}],"value":{"y":[100,"\\u00e9"],"x":15e-1},"sensitive":false},
    "c": {"value": {"x": 1.50, "y": [1e2, "e"]}, "type": ["object", {"x": "number", "y": "dynamic"}]},
    "d": {"value": 12345678901234567890, "type": "number"},
    "e": {"value": 12345678901234567891, "type": "number"},
    "f": {"value": "12345678901234567890", "type": "number"}
  }`)

  expect(b).toBe(a)
  expect(c).not.toBe(a)
  expect(new Set([d, e, f]).size).toBe(3)
})

test('the digest of a sensitive output depends on the key and the name', () => {
  const bytes = Buffer.from(
    JSON.stringify({
      ...head,
      outputs: {
        a: { value: 'x', type: 'string', sensitive: true },
        b: { value: 'x', type: 'string', sensitive: true },
      },
    }),
  )
  const digests = (sensitiveKey?: Uint8Array): string[] =>
    scanState(bytes, sensitiveKey === undefined ? {} : { sensitiveKey }).outputs?.map(
      (output) => output.digest,
    ) ?? []

  const all = [...digests(key), ...digests(Buffer.alloc(32, 8)), ...digests()]

  expect(new Set(all).size).toBe(6)
  expect(digests(key)).toEqual(digests(key))
})

test('an output counts as sensitive unless it clearly is not', () => {
  const { outputs } = scan({
    ...head,
    outputs: {
      a: { value: 1, type: 'number', Sensitive: true },
      b: { value: 1, type: 'number', sensitive: 'yes' },
      c: { value: 1, type: 'number', sensitive: null },
      d: { value: 1, type: 'number', sensitive: false },
      e: { value: 1, type: 'number' },
    },
  })

  expect(outputs?.map((output) => output.sensitive)).toEqual([true, true, false, false, false])
})

test('an output that is too large to look into still has a digest', () => {
  const large = (last: string): string =>
    `{"a":{"value":"${'x'.repeat(17 * 1024 * 1024)}${last}","type":"string"}}`

  const one = outputsOf(large('1'))
  const two = outputsOf(large('2'))

  expect(one['a']).toMatch(/^[\w-]{22}$/)
  expect(one).not.toEqual(two)
  expect(outputsOf(large('1'))).toEqual(one)
})

test.each(['not json', '\ufeff{"version":4}', '<html></html>', 'tru', '"x', '[1,'])(
  'what is not JSON is called that: %j',
  (text) => {
    expect(() => scanState(Buffer.from(text))).toThrow(expect.objectContaining({ code: 'STATE_NOT_JSON' }))
  },
)

test.each(['[]', 'null', '4', '"x"'])('JSON that is no object is no state: %s', (text) => {
  expect(() => scanState(Buffer.from(text))).toThrow(
    expect.objectContaining({ code: 'STATE_FORMAT', facts: { field: 'state' } }),
  )
})

test('as many outputs as are allowed are read, and one more is refused by name', () => {
  const outputs = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`o${i}`, { value: i, type: 'number' }]))
  const tooMany = Buffer.from(JSON.stringify({ ...head, outputs: outputs(MOST_OUTPUTS + 1) }))

  expect(scan({ ...head, outputs: outputs(MOST_OUTPUTS) }).outputs).toHaveLength(MOST_OUTPUTS)
  expect(() => scanState(tooMany)).toThrow(
    expect.objectContaining({ code: 'TOO_LARGE', facts: expect.objectContaining({ field: 'outputs' }) }),
  )
  // For a state that is already current, only the outputs are unknown.
  expect(scanState(tooMany, { tooManyOutputs: 'unknown' })).toMatchObject({
    serial: head.serial,
    encrypted: false,
    outputs: undefined,
  })
})

test('names of outputs may take only so much room together', () => {
  const outputs = Object.fromEntries(
    Array.from({ length: 10 }, (_, i) => [`${'n'.repeat(50_001)}${i}`, { value: i, type: 'number' }]),
  )

  expect(() => scan({ ...head, outputs })).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }))
})
