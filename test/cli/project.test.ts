import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testWorld } from '../support/cli.ts'
import { openEmbedded } from '../../src/wire/embed.ts'

/** Runs commands in a repository with these files, on a folder as bucket. */
function repository(files: Readonly<Record<string, string>>) {
  const home = testWorld()
  onTestFinished(home.dispose)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home.cwd, path)), { recursive: true })
    writeFileSync(join(home.cwd, path), text)
  }
  async function taco(...args: readonly string[]) {
    const world = testWorld({
      openEmbedded,
      now: Date.now,
      cwd: home.cwd,
      env: { TACO_BUCKET: join(home.cwd, 'bucket') },
      repository: () => import('../../src/wire/repository.ts'),
    })
    onTestFinished(world.dispose)
    const code = await world.run(...args)
    return { code, out: world.out(), err: world.err() }
  }
  return { cwd: home.cwd, taco }
}

test('each fault of taco.yaml has a line that begins with its position', async () => {
  const { taco } = repository({ 'taco.yaml': 'units:\n  a: {dirr: x}\n  b: {lables: {}}\n' })

  expect(await taco('sync')).toEqual({
    code: 2,
    out: '',
    err: [
      'error: taco.yaml:2:7: The key "dirr" is unknown. Did you mean dir?',
      'error: taco.yaml:3:7: The key "lables" is unknown. Did you mean labels?',
      'hint: See docs/project.md for the format of the file.',
      '',
    ].join('\n'),
  })
  const { err } = await taco('sync', '--json')
  expect(JSON.parse(err)).toMatchObject({
    error: {
      code: 'BAD_REQUEST',
      faults: [
        { line: 2, column: 7 },
        { line: 3, column: 7 },
      ],
    },
  })
})

test('a taco.yaml that is not a file, or has another name, is reported in our words', async () => {
  const { taco, cwd } = repository({ 'taco.yml': 'units: {}\n', 'b/c.txt': '' })

  expect(await taco('sync')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/no taco\.yaml in this folder or above\.\nhint: .*taco\.yml/) as string,
  })
  mkdirSync(join(cwd, 'taco.yaml'))
  expect(await taco('sync')).toMatchObject({
    code: 2,
    err: expect.stringContaining('no taco.yaml in this folder or above') as string,
  })
  expect(await taco('sync', '--file', 'b')).toMatchObject({
    code: 2,
    err: expect.stringContaining('b is a folder') as string,
  })
})

test('sync shows what it will do, does it once, and takes back what went out of the file', async () => {
  const { taco, cwd } = repository({
    'taco.yaml':
      'units:\n  net: {labels: {tier: 1.10}}\n  app: {dependencies: {net: {inputs: {cidr: range}}}}\n',
  })

  const shown = await taco('sync', '--dry-run')
  expect(shown.out).toBe('+ unit net tier=1.10\n+ unit app\n+ app uses net: range (cidr = range)\n')
  expect((await taco('sync', '--yes')).out).toBe(shown.out)
  expect(await taco('sync', '--yes')).toMatchObject({ code: 0, out: '' })
  writeFileSync(join(cwd, 'taco.yaml'), 'units:\n  net: {labels: {tier: 2}}\n  app: {}\n')
  expect((await taco('sync', '--yes')).out).toBe(
    '~ net: label tier = 1.10 → 2\n- app uses net: range (cidr = range)\n',
  )
  writeFileSync(
    join(cwd, 'taco.yaml'),
    'units:\n  app: {dependencies: [net, nett]}\n  web:\n    dependencies:\n      other: all\n',
  )
  const lost = await taco('sync', '--yes')
  expect(lost.code).toBe(3)
  expect(lost.err.split('\n').slice(0, 3)).toEqual([
    'error: taco.yaml:2:29: app depends on nett, but there is no such unit.',
    'error: taco.yaml:5:7: web depends on other, but there is no such unit.',
    'hint: Did you mean net?',
  ])
})

test('of very many dangling dependencies the first are named, and the rest are counted', async () => {
  const units = Array.from({ length: 102 }, (_, i) => `  app-${i}: {dependencies: [net]}\n`)
  const { taco } = repository({ 'taco.yaml': `units:\n${units.join('')}` })

  const { err } = await taco('sync', '--dry-run')

  const lines = err.split('\n').filter((line) => line.startsWith('error: '))
  expect(lines).toHaveLength(101)
  expect(lines.at(99)).toBe('error: taco.yaml:101:27: app-99 depends on net, but there is no such unit.')
  expect(lines.at(100)).toBe('error: There are 2 more.')
})

test('what scan writes holds from where it is written', async () => {
  const { taco, cwd } = repository({
    'infra/net/main.tf': 'resource "terraform_data" "x" {}\n',
    'infra/app/terragrunt.hcl': 'dependency "x" {\n  config_path = "../net"\n}\n',
    'infra/terragrunt.stack.hcl': 'unit "web" {\n  source = "x"\n  path = "web"\n}\n',
  })

  const shown = await taco('scan', 'infra')
  expect(shown.out).toBe(
    'UNIT  FOLDER  STATE       USES\napp   app     terragrunt  net:-\nnet   net     local       -\n',
  )
  expect(shown.err).toContain('warning: terragrunt.stack.hcl: its units are not read: web')
  expect(await taco('scan', 'infra', '--write')).toMatchObject({ code: 0 })
  expect(readFileSync(join(cwd, 'infra/taco.yaml'), 'utf8')).toContain('  net: {}\n')
  expect(await taco('scan', 'infra', '--write=all.yaml')).toMatchObject({ code: 0 })
  expect(readFileSync(join(cwd, 'all.yaml'), 'utf8')).toContain('  net:\n    dir: infra/net\n')
  expect(await taco('scan', 'infra', '--write=infra/net/taco.yaml')).toMatchObject({
    code: 2,
    err: expect.stringContaining('cannot name folders outside its own folder') as string,
  })
  expect(await taco('scan', 'infra', '--write=all.yaml')).toMatchObject({ code: 2 })
  expect(await taco('scan', 'infra', '--write=infra', '--force')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Cannot write infra') as string,
  })
  expect((await taco('sync', '--file', 'all.yaml', '--dry-run')).out).toBe(
    '+ unit app\n+ app uses net: only the order\n+ unit net\n',
  )
})

test('a scan knows the position of its folder in the git repository', async () => {
  const { taco } = repository({
    '.git/HEAD': 'ref: refs/heads/main\n',
    'live/net/terragrunt.hcl':
      'terraform {\n  source = "x"\n}\nremote_state {\n  backend = "s3"\n  config = {\n    bucket = "b"\n    key = "${get_path_from_repo_root()}/terraform.tfstate"\n  }\n}\n',
  })

  const { out } = await taco('scan', 'live')
  expect(out).toContain('live/net  net     s3://b/live/net/terraform.tfstate')
})

test('sync speaks of units by the names they have now', async () => {
  const { taco } = repository({ 'taco.yaml': 'units:\n  net: {}\n  app: {dependencies: [net]}\n' })
  await taco('sync', '--yes')
  await taco('unit', 'rename', 'net', 'old-net')

  expect((await taco('sync', '--dry-run')).out).toBe(
    '+ unit net\n+ app uses net: all outputs\n- app uses old-net: all outputs\n',
  )
})
