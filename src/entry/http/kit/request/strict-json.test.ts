import { expect, test } from 'vitest'
import { startFace } from '../../../../../test/rig/http-face.ts'
import { checkJson } from './strict-json.ts'

const headers = { 'content-type': 'application/json' }

test.each([
  ['{"a":{"b":1},"c":[{"b":1},{"b":2}],"b":"{\\"b\\":1,\\"b\\":2}"}'],
  ['["a","a",{"a":"a"}]'],
  ['{"a":"\\\\","b" : "a"}'],
  ['not JSON, "a": "a": {{'],
  [''],
])('%s is left to the parser', (text) => {
  expect(() => checkJson(text)).not.toThrow()
})

test.each([
  ['{"a":1,"a":2}', 'twice'],
  ['{"a":1,"\\u0061" : 2}', 'twice'],
  ['{"x":[{"y":1,"y":1}]}', 'twice'],
  ['{"labels":{"__proto__":"x"}}', '__proto__'],
  ['{"\\u005f_proto__":{}}', '__proto__'],
  ['['.repeat(33), 'nested'],
])('%s is refused', (text, why) => {
  expect(() => checkJson(text)).toThrow(why)
})

test.each([
  ['{"name":"a","labels":{"team":"x","team":"y"}}', 'team'],
  ['{"name":"a","name":"b"}', 'name'],
  ['{"name":"a","labels":{"__proto__":"x"}}', '__proto__'],
  [`{"name":"a","labels":${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}}`, 'body'],
  ['['.repeat(900_000), 'body'],
])('a unit is not created from a body that says less than it seems to (%#)', async (body, field) => {
  const face = await startFace()

  for (const more of [{}, { 'transfer-encoding': 'chunked' }]) {
    const refused = await face.send('/v1/units', { method: 'POST', headers: { ...headers, ...more }, body })
    expect(refused.json()).toMatchObject({ status: 400, code: 'BAD_REQUEST', field })
  }
  expect((await face.send('/v1/units')).json()['items']).toEqual([])
})

test('a filter by a label named __proto__ finds nothing instead of everything', async () => {
  const face = await startFace()
  await face.send('/v1/units', { method: 'POST', headers, body: '{"name":"a"}' })

  expect((await face.send('/v1/units?label=__proto__%3Dx')).json()['items']).toEqual([])
})
