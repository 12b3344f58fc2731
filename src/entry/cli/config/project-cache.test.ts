import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readProject } from '../../../project/index.ts'
import { understood } from './project-cache.ts'
import { testWorld } from '../../../../test/support/cli.ts'
import type { RepositoryTools, World } from '../world.ts'

const content = `engine: terraform
units:
  app:
    dir: services/app
    labels: { team: 7 }
    variables: { size: 3, tags: { a: [1, null] } }
    var_files: [prod.tfvars]
    dependencies: { network: { outputs: [vpc_id], inputs: { vpc: vpc_id } } }
  network: {}
`

/** Worlds that share one home, and how often `taco.yaml` was read in them. */
function home(changes: Partial<World> = {}) {
  let reads = 0
  const repository = () =>
    Promise.resolve({
      readProject: (...args: Parameters<typeof readProject>) => (reads++, readProject(...args)),
    } as RepositoryTools)
  const world = testWorld({ repository, ...changes })
  onTestFinished(() => world.dispose())
  return { world, reads: () => reads, folder: join(world.home, '.cache/opentaco/projects') }
}

const file = { path: '/repo/taco.yaml', shown: 'taco.yaml', content }

test('a taco.yaml is read once, and means the same afterwards', async () => {
  const { world, reads } = home()

  const first = await understood(world, file)
  const second = await understood(world, file)

  expect(reads()).toBe(1)
  expect(second).toEqual(first)
  expect(second).toEqual(readProject(content, file.shown))
})

test.each([
  ['its text', content.replace('size: 3', 'size: 4'), {}],
  ['the program', content, { version: () => '1.2.4' }],
])('it is read again when %s changed', async (_, text, worldChange) => {
  const { world, reads } = home()
  await understood(world, file)

  const project = await understood({ ...world, ...worldChange }, { ...file, content: text })

  expect(reads()).toBe(2)
  expect(project).toEqual(readProject(text, file.shown))
})

test('two repositories do not disturb each other', async () => {
  const { world, reads } = home()
  const other = { path: '/other/taco.yaml', shown: 'taco.yaml', content: 'units: { other: {} }' }

  for (const one of [file, other, file, other]) await understood(world, one)

  expect(reads()).toBe(2)
})

test.each(['', '{"madeFrom"', '[]', 'null'])('what is damaged (%j) is made again', async (text) => {
  const { world, reads, folder } = home()
  await understood(world, file)
  const [name = ''] = readdirSync(folder)
  writeFileSync(join(folder, name), text)

  expect(await understood(world, file)).toEqual(readProject(content, file.shown))
  expect(reads()).toBe(2)
})

test('one of another shape is not believed', async () => {
  const { world, reads, folder } = home()
  await understood(world, file)
  const path = join(folder, readdirSync(folder)[0] ?? '')
  writeFileSync(path, readFileSync(path, 'utf8').replace('"dir":"services/app"', '"dir":7'))

  await understood(world, file)

  expect(reads()).toBe(2)
})

test('a home that cannot be written is no failure', async () => {
  const { world, reads } = home({ home: '/dev/null/nowhere' })

  await understood(world, file)
  await understood(world, file)

  expect(reads()).toBe(2)
})
