import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { RunVariable } from '../variables/index.ts'
import { withVariables } from './host/with-variables.ts'
import { variableFiles } from './run-variables.ts'

function variable(key: string, value: string, more: Partial<RunVariable> = {}): RunVariable {
  return { key, value, category: 'terraform', sensitive: false, hcl: false, priority: false, ...more }
}

test('taco.yaml is weaker than variables, those than inputs, and those than priority sets', () => {
  const files = variableFiles(
    { a: 'project', b: 'project', c: 'project', d: 'project' },
    [
      variable('b', 'unit'),
      variable('c', 'unit'),
      variable('d', 'priority', { priority: true }),
      variable('E', 'x', { category: 'env' }),
    ],
    { c: '"input"', d: '"input"' },
  )
  expect(JSON.parse(files.json ?? '')).toEqual({ a: 'project', c: 'input' })
  expect(files.hcl).toBe('b = "unit"\nd = "priority"\n')
  expect(variableFiles({}, [], {})).toEqual({ json: undefined, hcl: undefined })
})

const items = [
  variable('own', 'stored'),
  variable('shell', 'stored'),
  variable('first', 'stored', { priority: true }),
  variable('list', '["a"]', { hcl: true }),
  variable('KEY', 'stored', { category: 'env' }),
]

async function seen(program: string, args: readonly string[], env: Record<string, string> = {}) {
  let file = ''
  const given = await withVariables({ items, env, program, args }, (all) => {
    file = readFileSync(/-var-file=([^"]+)/.exec(all['TF_CLI_ARGS_plan'] ?? '')?.[1] ?? '', 'utf8')
    return Promise.resolve(all)
  })
  return { given, file }
}

test('what a person exports is stronger than what is stored, except for priority sets and the environment', async () => {
  const { given, file } = await seen('tofu', ['plan'], {
    TF_VAR_shell: 'mine',
    TF_VAR_first: 'mine',
    KEY: 'mine',
    TF_CLI_ARGS_plan: '-lock=false',
  })
  expect(given).toMatchObject({
    TF_VAR_own: 'stored',
    TF_VAR_shell: 'mine',
    TF_VAR_first: 'stored',
    TF_VAR_list: '["a"]',
    KEY: 'stored',
  })
  expect(given['TF_CLI_ARGS_plan']).toMatch(/^"-var-file=.*" -lock=false$/)
  expect(file).toBe('own = "stored"\nfirst = "stored"\nlist = (\n["a"]\n)\n')
})

test.each([
  ['tofu', ['apply', '-auto-approve'], 'code'],
  ['/opt/terraform', ['-chdir=x', 'apply', '-target', 'a.b', '-var', 'x=1'], 'code'],
  ['tofu', ['apply', 'saved.tfplan'], 'saved'],
  ['tofu', ['apply', '-lock-timeout', '1m', 'saved.tfplan'], 'saved'],
  ['tofu', ['plan'], 'other'],
  ['make', ['apply'], 'other'],
] as const)('%s %j: apply is given variables unless it applies a saved plan', async (program, args, what) => {
  const given = await withVariables({ items, env: {}, program, args }, (all) => Promise.resolve(all))
  expect('TF_CLI_ARGS_apply' in given).toBe(what === 'code')
  expect('TF_VAR_own' in given).toBe(what !== 'saved')
  expect(given['KEY']).toBe('stored')
})
