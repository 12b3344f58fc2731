import { generateKeySync } from 'node:crypto'
import { lstatSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openEmbedded } from '../../src/wire/embed.ts'
import { testWorld } from '../support/cli.ts'
import type { TestWorld } from '../support/cli.ts'

const SECRET = 'hunter2-very-secret'

/** A folder as bucket, with a key for secrets. */
function start(): TestWorld {
  const world = testWorld()
  onTestFinished(world.dispose)
  world.env['TACO_BUCKET'] = join(world.cwd, 'bucket')
  const key = generateKeySync('hmac', { length: 256 }).export().toString('base64')
  vi.stubEnv('TACO_SECRET_KEY', `k1:${key}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  return world
}

async function taco({ cwd, home, env }: TestWorld, args: readonly string[], input?: string) {
  const repository = () => import('../../src/wire/repository.ts')
  const options = { openEmbedded, now: Date.now, repository, cwd, home, env: { ...env } }
  const fresh = testWorld(input === undefined ? options : { ...options, input })
  onTestFinished(fresh.dispose)
  const code = await fresh.run(...args)
  return { code, out: fresh.out(), err: fresh.err() }
}

async function unit(world: TestWorld, name = 'prod/app') {
  mkdirSync(join(world.cwd, 'bucket'), { recursive: true })
  expect(await taco(world, ['unit', 'create', name])).toMatchObject({ code: 0 })
}

async function valuesOf(world: TestWorld, ...owner: readonly string[]) {
  const { out } = await taco(world, ['var', 'ls', ...owner, '--json'])
  const { items } = JSON.parse(out) as { items: Record<string, unknown>[] }
  return items.map(({ key, category, value, hcl }) => [key, category, value, hcl])
}

const app = ['--unit', 'prod/app']

test('variables are set from arguments, the standard input and files, and removed', async () => {
  const world = start()
  await unit(world)
  writeFileSync(join(world.cwd, 'value'), 'from a file\n')
  expect(await taco(world, ['var', 'set', 'region', 'eu', ...app])).toMatchObject({ code: 0 })
  expect(await taco(world, ['var', 'set', 'zones', '["a"]', '--hcl', ...app])).toMatchObject({ code: 0 })
  expect(await taco(world, ['var', 'set', 'note', '--from-file', 'value', ...app])).toMatchObject({ code: 0 })
  const piped = await taco(world, ['var', 'set', 'TOKEN', '--env', '--sensitive', ...app], `${SECRET}\n`)
  expect(piped).toMatchObject({ code: 0 })

  expect(await valuesOf(world, ...app, '--own')).toEqual([
    ['region', 'terraform', 'eu', false],
    ['zones', 'terraform', '["a"]', true],
    ['note', 'terraform', 'from a file', false],
    ['TOKEN', 'env', null, false],
  ])
  const listed = await taco(world, ['var', 'ls', ...app])
  expect(listed.out).toMatch(/TOKEN +env +\(sensitive\) +unit/)
  expect(JSON.stringify([piped, listed])).not.toContain(SECRET)
  expect(await taco(world, ['var', 'rm', 'region', 'zones', ...app])).toMatchObject({ code: 0 })
  expect(await taco(world, ['var', 'rm', 'region', ...app])).toMatchObject({ code: 3 })
  expect(await valuesOf(world, ...app)).toHaveLength(2)
  expect(textsIn(join(world.cwd, 'bucket'))).not.toContain(SECRET)
})

/** All files below a folder. */
function textsIn(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => lstatSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n')
}

test('a secret is refused on the command line, and so are commands that say too little', async () => {
  const world = start()
  await unit(world)
  const refused = await taco(world, ['var', 'set', 'TOKEN', SECRET, '--sensitive', ...app])
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('Pipe it to the command') })
  expect(await taco(world, ['var', 'ls'])).toMatchObject({ code: 2 })
  expect(await taco(world, ['var', 'ls', ...app, '--set', 'x'])).toMatchObject({ code: 2 })
  expect(await taco(world, ['var', 'ls', '--unit', 'prod/ap'])).toMatchObject({
    code: 3,
    err: expect.stringContaining('Did you mean prod/app?'),
  })
  expect(await taco(world, ['var', 'ls', '--set', 'none'])).toMatchObject({ code: 3 })
  expect(await taco(world, ['var', 'set', 'a b', 'x', ...app])).toMatchObject({ code: 2 })
})

test('files of variables are imported as engines read them', async () => {
  const world = start()
  await unit(world)
  writeFileSync(
    join(world.cwd, 'prod.auto.tfvars'),
    'region = "eu"\ncount_ = 3\nname = "a $${b}"\nzones = ["a", "b"]\ntags = { team = "x" }\nnone = null\n' +
      'text = <<EOT\ntwo\nlines\nEOT\n',
  )
  writeFileSync(join(world.cwd, 'more.tfvars.json'), '{"region": "us", "enabled": true}')
  writeFileSync(join(world.cwd, '.env'), '# keys\nexport A=1\nB="two words\\n"\nC=\'$x\'\n\nD=a=b\n')
  const files = ['prod.auto.tfvars', 'more.tfvars.json', '.env']

  expect(await taco(world, ['var', 'import', ...files, ...app])).toMatchObject({ code: 0 })
  expect(new Set(await valuesOf(world, ...app, '--own'))).toEqual(
    new Set([
      ['region', 'terraform', 'us', false],
      ['count_', 'terraform', '3', true],
      ['name', 'terraform', 'a ${b}', false],
      ['zones', 'terraform', '["a","b"]', true],
      ['tags', 'terraform', '{"team":"x"}', true],
      ['none', 'terraform', 'null', true],
      ['text', 'terraform', 'two\nlines\n', false],
      ['enabled', 'terraform', 'true', true],
      ['A', 'env', '1', false],
      ['B', 'env', 'two words\n', false],
      ['C', 'env', '$x', false],
      ['D', 'env', 'a=b', false],
    ]),
  )

  for (const [name, text, says] of [
    ['bad.tfvars', 'a = \nb = 1', 'bad.tfvars:1'],
    ['code.tfvars', 'a = file("x")', 'a is not a plain value'],
    ['bad.json', `{\n"password": "${SECRET}", x`, 'bad.json:2'],
    ['list.json', '[]', 'not an object'],
    ['bad.env', 'nothing here', 'bad.env:1'],
  ] as const) {
    writeFileSync(join(world.cwd, name), text)
    const answer = await taco(world, ['var', 'import', name, ...app])
    expect(answer).toMatchObject({ code: 2, err: expect.stringContaining(says) })
    expect(answer.err).not.toContain(SECRET)
  }
  expect(await taco(world, ['var', 'import', 'missing.tfvars', ...app])).toMatchObject({ code: 2 })
})

test('variable sets are created, filled, attached, changed, detached and deleted', async () => {
  const world = start()
  await unit(world)
  await unit(world, 'prod/db')
  expect(await taco(world, ['varset', 'create', 'aws', '--description', 'keys'])).toMatchObject({ code: 0 })
  expect(await taco(world, ['varset', 'create', 'aws'])).toMatchObject({ code: 4 })
  await taco(world, ['var', 'set', 'region', 'eu', '--set', 'aws'])
  await taco(world, ['var', 'set', 'region', 'us', ...app])
  expect(
    await taco(world, ['varset', 'attach', 'aws', '--unit', 'prod/app', '--unit', 'prod/db']),
  ).toMatchObject({ code: 0, out: expect.stringContaining('aws is for prod/app, prod/db') })
  expect(await valuesOf(world, '--unit', 'prod/db')).toEqual([['region', 'terraform', 'eu', false]])
  expect((await taco(world, ['var', 'ls', ...app])).out).toMatch(/region +terraform +us +unit +aws/)
  expect(await taco(world, ['varset', 'set', 'aws', '--priority'])).toMatchObject({ code: 0 })
  expect((await taco(world, ['var', 'ls', ...app])).out).toMatch(/eu +aws \(priority\) +unit/)
  expect(await taco(world, ['varset', 'set', 'aws', '--no-priority', '--global'])).toMatchObject({ code: 0 })
  expect((await taco(world, ['varset', 'ls'])).out).toMatch(/aws +all units, prod\/app, prod\/db +- +keys/)
  expect(await taco(world, ['varset', 'set', 'aws', '--no-global'])).toMatchObject({ code: 0 })
  expect(await taco(world, ['varset', 'detach', 'aws', '--unit', 'prod/db'])).toMatchObject({ code: 0 })
  expect(await valuesOf(world, '--unit', 'prod/db')).toEqual([])
  expect(await taco(world, ['varset', 'attach', 'aws'])).toMatchObject({ code: 2 })
  expect(await taco(world, ['varset', 'rm', 'aws', '--yes'])).toMatchObject({ code: 0 })
  expect(await taco(world, ['varset', 'rm', 'aws', '--yes'])).toMatchObject({ code: 3 })
})

test('taco inputs shows the variables of a unit, writes them to a file and exports them', async () => {
  const world = start()
  await unit(world)
  writeFileSync(join(world.cwd, 'x.tfvars'), 'region = "it\'s"\nzones = ["a", "$${b}"]\n')
  await taco(world, ['var', 'import', 'x.tfvars', ...app])
  await taco(world, ['var', 'set', 'TOKEN', 'x y', '--env', ...app])

  expect((await taco(world, ['inputs', 'prod/app'])).out).toMatch(/region +variable +- +it's/)
  const written = await taco(world, ['inputs', 'prod/app', '--write'])
  expect(written).toMatchObject({ code: 0, out: 'wrote taco.auto.tfvars.json: 2 variables\n' })
  const file = readFileSync(join(world.cwd, 'taco.auto.tfvars.json'), 'utf8')
  expect(JSON.parse(file)).toEqual({ region: "it's", zones: ['a', '${b}'] })
  const exported = await taco(world, ['inputs', 'prod/app', '--export'])
  expect(exported.out).toBe(
    `export TF_VAR_region='it'\\''s'\nexport TF_VAR_zones='["a","$\${b}"]'\nexport TOKEN='x y'\n`,
  )
  expect(JSON.parse((await taco(world, ['inputs', 'prod/app', '--json'])).out)).toMatchObject({
    inputs: [],
    variables: [{ key: 'TOKEN' }, { key: 'region' }, { key: 'zones' }],
  })

  await taco(world, ['var', 'set', 'password', '--sensitive', ...app], SECRET)
  expect(await taco(world, ['inputs', 'prod/app', '--write'])).toMatchObject({
    code: 5,
    err: expect.stringContaining('use --sensitive'),
  })
  expect((await taco(world, ['inputs', 'prod/app'])).out).toContain('(sensitive)')
  const all = await taco(world, ['inputs', 'prod/app', '--export', '--sensitive'])
  expect(all.out).toContain(`export TF_VAR_password='${SECRET}'`)
})
