import { expect, test } from 'vitest'
import { evaluate, lazily } from './evaluate.ts'
import { OutputReference } from './reference.ts'

const scope = {
  names: {
    local: { env: 'prod', n: 3, list: ['a', 'b'], map: { k: 'v' }, yes: true, secret: undefined },
    each: { key: 'eu' },
    dependency: (name: string) => new OutputReference(name),
  },
}

test.each([
  ['plain', 'plain'],
  ['${local.env}', 'prod'],
  ['${local.n}', 3],
  ['x-${local.env}-${local.n}', 'x-prod-3'],
  ['${local.list[1]}', 'b'],
  ['${local.map["k"]}${local.map.k}', 'vv'],
  ['${local.yes ? "a-${local.env}" : "b"}', 'a-prod'],
  ['${!local.yes || local.env == "prod"}', true],
  [
    '${merge({ a = 1, "b" = local.env }, {\n  c : [1, 2,]\n  # why\n  "d-${local.n}" = null\n})}',
    { a: 1, b: 'prod', c: [1, 2], 'd-3': null },
  ],
  ['${format("%s/%d", local.env, 7)}', 'prod/7'],
  ['${join("-", [local.env, each.key])}', 'prod-eu'],
  ['${basename(dirname("/a/b/c"))}', 'b'],
  ['${replace(lower("A.B"), ".", "-")}', 'a-b'],
  ['${toset(["b", "a", "b"])}', ['b', 'a']],
  ['${lookup(local.map, "z", "none")}', 'none'],
  ['${concat(local.list...)}', undefined],
  ['$${local.env} %%{ if }', '${local.env} %{ if }'],
  ['${"say \\"hi\\""}', 'say "hi"'],
  ['${local.secret}', undefined],
  ['x-${local.secret}', undefined],
  ['${[local.env, local.secret]}', ['prod', undefined]],
  ['${nothing.at.all}', undefined],
  ['${unknown_function(1)}', undefined],
  ['${[for x in local.list : x]}', undefined],
  ['%{ if local.yes }a%{ endif }', undefined],
  ['${constructor}${toString}', undefined],
  ['${hasOwnProperty("x")}', undefined],
  ['${', undefined],
  ['${"', undefined],
  [`\${${'('.repeat(50_000)}`, undefined],
] as const)('%s', (text, value) => {
  expect(evaluate(text, scope)).toEqual(value)
})

test('each part of a map or a list is evaluated separately', () => {
  expect(evaluate({ a: '${local.env}', b: ['${local.secret}', 1], '${local.env}': true }, scope)).toEqual({
    a: 'prod',
    b: [undefined, 1],
    prod: true,
  })
})

test('outputs that are handed on can be followed', () => {
  expect(evaluate('${merge(local.map, { id = dependency.vpc.outputs.id })}', scope)).toEqual({
    k: 'v',
    id: new OutputReference('vpc', ['outputs', 'id']),
  })
  expect(evaluate('${merge(dependency.vpc.outputs, { a = 1 })}', scope)).toBeUndefined()
  expect(evaluate('a-${dependency.vpc.outputs.id}', scope)).toBeUndefined()
})

test('names that need each other are not known, and those that double each other end', () => {
  const code: Record<string, string> = { a: '${local.b}', b: '${local.a}', d0: 'xxxxxxxxxx' }
  for (let i = 1; i < 64; i++) code[`d${i}`] = `\${local.d${i - 1}}\${local.d${i - 1}}`
  const names: Record<string, unknown> = {}
  const all = { names }
  names['local'] = lazily(
    Object.fromEntries(Object.entries(code).map(([name, text]) => [name, () => evaluate(text, all)])),
  )

  expect(evaluate('${local.a}', all)).toBeUndefined()
  expect(evaluate('${local.d3}', all)).toHaveLength(80)
  expect(evaluate('${local.d63}', all)).toBeUndefined()
})
