import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { engines } from '../../rig/engines.ts'
import { makeRepository } from '../../rig/repository.ts'
import { startServer } from '../../rig/server.ts'

const [engine] = engines()

/** Each time the resource is made, a line more lies in the file. */
const code = (effects: string, more = '') => `
terraform {
  backend "http" {}
}
resource "terraform_data" "it" {
  provisioner "local-exec" {
    command = "echo made >> '${effects}'"
  }
}
${more}
`
const made = (effects: string) =>
  existsSync(effects) ? readFileSync(effects, 'utf8').trim().split('\n').length : 0

test.skipIf(engine === undefined)('a unit that is renamed after the start keeps its state', async () => {
  if (engine === undefined) return
  const { url } = await startServer()
  const repo = await makeRepository(engine, { TACO_SERVER: url }, { 'taco.yaml': 'units:\n  a: {}\n' })
  const effects = join(repo.root, 'effects')
  await repo.write('a/main.tf', code(effects))
  await repo.must('sync', '--yes')
  await repo.must('rollout', 'start', '--from', 'a', '--work')
  await repo.write('a/main.tf', code(effects, 'output "more" { value = 1 }'))
  const id = (await repo.must('rollout', 'start', '-q', '--from', 'a')).trim()
  await repo.must('unit', 'rename', 'a', 'b')

  const early = await repo.taco('rollout', 'work', id)
  await repo.write('taco.yaml', 'units:\n  b: { dir: a }\n')
  await repo.must('rollout', 'work', id)

  expect(early.code).toBe(1)
  expect(early.output).toContain('taco.yaml here does not name b')
  expect(made(effects)).toBe(1)
  const { items } = JSON.parse(await repo.must('unit', 'ls', '--json')) as { items: { name: string }[] }
  expect(items.map(({ name }) => name)).toEqual(['b'])
  expect(await repo.must('outputs', 'show', 'b')).toContain('more')
})

test.skipIf(engine === undefined)('a worker leaves the units of other repositories to them', async () => {
  if (engine === undefined) return
  const { url } = await startServer()
  const [ours, theirs] = await Promise.all(
    ['ours', 'theirs'].map(async (name) => {
      const repo = await makeRepository(
        engine,
        { TACO_SERVER: url },
        { 'taco.yaml': `units:\n  ${name}: {}\n` },
      )
      await repo.write(`${name}/main.tf`, code(join(repo.root, 'effects')))
      await repo.must('sync', '--yes')
      return repo
    }),
  )
  if (ours === undefined || theirs === undefined) throw new Error('two were made')
  await ours.must('dep', 'add', 'theirs', '--on', 'ours')
  const id = (await ours.must('rollout', 'start', '-q', '--from', 'ours')).trim()

  const early = await theirs.taco('rollout', 'work', id)
  const half = await ours.taco('rollout', 'work', id)
  await theirs.must('rollout', 'work', id)

  expect(early.output).toContain('taco.yaml here does not name ours')
  expect(half.output).toContain('taco.yaml here does not name theirs')
  const { steps } = JSON.parse(await ours.must('rollout', 'status', id, '--json')) as {
    steps: { status: string; attempts: number }[]
  }
  expect(steps.map(({ status, attempts }) => [status, attempts])).toEqual([
    ['applied', 1],
    ['applied', 1],
  ])
})

test.skipIf(engine === undefined)('half an apply is neither up to date nor skipped', async () => {
  if (engine === undefined) return
  const { url } = await startServer()
  const yaml = 'units:\n  net: {}\n  app:\n    dependencies: { net: [cidr] }\n'
  const repo = await makeRepository(engine, { TACO_SERVER: url }, { 'taco.yaml': yaml })
  const effects = join(repo.root, 'effects')
  const variable = 'variable "cidr" { type = string }'
  await repo.write('net/main.tf', code(effects, 'output "cidr" { value = "10/8" }'))
  await repo.write('app/main.tf', code(effects, variable))
  await repo.must('sync', '--yes')
  await repo.must('rollout', 'start', '--from', 'net', '--work')
  const broken = (command: string) =>
    code(
      effects,
      `${variable}
resource "terraform_data" "more" {
  depends_on = [terraform_data.it]
  provisioner "local-exec" { command = "${command}" }
}
output "half" { value = 1 }`,
    )
  await repo.write('app/main.tf', broken('false'))
  const failed = await repo.taco('rollout', 'start', '--from', 'app', '--work')
  const { items } = JSON.parse(await repo.must('rollout', 'ls', '--json')) as { items: { id: string }[] }
  await repo.must('rollout', 'cancel', items[0]?.id ?? '')

  const status = await repo.must('status')
  await repo.write('app/main.tf', broken('true'))
  const next = await repo.must('rollout', 'start', '--from', 'net', '--work')

  expect(failed.code).toBe(1)
  expect(status).toContain('stale, ready, failed')
  expect(status).toContain('its last apply failed')
  expect(next).toMatch(/● app {2}applied/)
  expect(await repo.must('status')).toContain('all 2 units are up to date')
})
