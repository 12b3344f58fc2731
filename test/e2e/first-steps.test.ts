import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { freePort } from '../peers/free-port.ts'
import { endedWithTest, startChild } from '../rig/child.ts'
import { engines } from '../rig/engines.ts'
import { oneResource } from '../rig/hcl.ts'
import { startServer } from '../rig/server.ts'
import { runTaco } from '../rig/taco.ts'
import { tempFolder } from '../rig/temp.ts'
import { eventually } from '../rig/wait.ts'
import { workdir } from '../rig/workdir.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('npm start builds, serves, and says what to type next', async () => {
  const port = await freePort()
  const bucket = await tempFolder()
  const env = { HOME: bucket, TACO_LISTEN: `127.0.0.1:${port}`, TACO_BUCKET: `file://${bucket}/data` }
  const npm = endedWithTest(startChild('npm', ['start', '--silent'], { cwd: root, env }))

  await eventually(
    () => `the server to be ready; it said: ${npm.output()}`,
    async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok || undefined,
    120_000,
  )
  const said = await eventually('the next step to be printed', () =>
    npm.output().includes('taco backend') ? npm.output() : undefined,
  )
  npm.signal('SIGTERM')
  await npm.finished

  expect(said).toContain(`http://127.0.0.1:${port}`)
  expect(said).toContain(join(root, 'bin/taco'))
})

describe.each(engines())('a newcomer with $name', (engine) => {
  test('follows the README from an empty folder to a diff', async () => {
    const server = await startServer()
    const code = await workdir(engine, oneResource('one'))
    const taco = (...args: string[]) => runTaco(args, { cwd: code.folder, env: { TACO_SERVER: server.url } })

    expect(await taco('backend', 'demo/app', '--write')).toMatchObject({ code: 0 })
    await code.must(['init'])
    await code.must(['apply', '-auto-approve'])
    await code.write('main.tf', oneResource('two'))
    await code.must(['apply', '-auto-approve'])
    const units = await taco('unit', 'ls')
    const versions = await taco('state', 'versions', 'demo/app')
    const diff = await taco('state', 'diff', 'demo/app')
    const events = await taco('events')

    expect(units.stdout).toMatch(/demo\/app/)
    expect(versions.stdout.trim().split('\n').length).toBeGreaterThanOrEqual(3)
    expect(diff.stdout).toContain('terraform_data.one')
    expect(diff.stdout).toContain('value')
    expect(events.stdout).toMatch(/state\.written/)
    const stored = await readFile(join(new URL(server.bucket).pathname, 'demo/app/terraform.tfstate'), 'utf8')
    expect(JSON.parse(stored)).toMatchObject({ version: 4 })
  })

  test('undoes an apply with a rollback, and the engine continues from there', async () => {
    const server = await startServer()
    const code = await workdir(engine, oneResource('one'))
    const taco = (...args: string[]) => runTaco(args, { cwd: code.folder, env: { TACO_SERVER: server.url } })
    await taco('backend', 'demo/app', '--write')
    await code.must(['init'])
    await code.must(['apply', '-auto-approve'])
    await code.write('main.tf', oneResource('two'))
    await code.must(['apply', '-auto-approve'])

    const rolledBack = await taco('state', 'rollback', 'demo/app', 'previous', '--yes', '-m', 'bad apply')

    expect(rolledBack).toMatchObject({ code: 0 })
    expect((await code.must(['output', '-raw', 'value'])).stdout).toBe('one')
    await code.must(['apply', '-auto-approve'])
    expect((await code.must(['output', '-raw', 'value'])).stdout).toBe('two')
  })
})

test('every command works the same on a server and on its bucket without one', async () => {
  const server = await startServer()
  const folder = await tempFolder()
  const state = (serial: number) =>
    JSON.stringify({
      version: 4,
      terraform_version: '1.9.0',
      serial,
      lineage: 'l',
      outputs: {},
      resources: [],
    })
  const targets = { server: ['--server', server.url], bucket: ['--bucket', server.bucket] } as const
  for (const [name, target] of Object.entries(targets)) {
    const taco = (...args: string[]) => runTaco([...args, ...target], { cwd: folder })
    const must = async (...args: string[]) => {
      const finished = await taco(...args)
      expect(finished, `taco ${args.join(' ')}: ${finished.output}`).toMatchObject({ code: 0 })
      return finished.stdout
    }
    const unit = `team/${name}.v1`

    await must('unit', 'create', unit, '--label', 'team=core')
    const pushed = await runTaco(['state', 'push', unit, '-', ...target], { cwd: folder, input: state(1) })
    expect(pushed, pushed.output).toMatchObject({ code: 0 })
    expect(JSON.parse(await must('state', 'pull', unit))).toMatchObject({ serial: 1 })
    await must('state', 'show', unit)
    expect(
      z.looseObject({ items: z.array(z.unknown()) }).parse(JSON.parse(await must('unit', 'ls', '--json')))
        .items.length,
    ).toBeGreaterThan(0)
    await must('unit', 'show', unit)
    await must('lock', unit, '--reason', 'moving house')
    const locked = await runTaco(['state', 'push', unit, '-', ...target], { cwd: folder, input: state(2) })
    expect(locked.code).toBe(4)
    expect(locked.stderr).toContain('moving house')
    await must('unlock', unit)
    await must('unit', 'rename', unit, `${unit}-renamed`)
    await must('unit', 'rm', `${unit}-renamed`, '--yes')
    expect((await taco('unit', 'show', `${unit}-renamed`)).code).toBe(3)
    await must('unit', 'restore', `${unit}-renamed`)
    await must('gc', '--dry-run')
    await must('doctor', '--deep')
    expect((await must('events', '--json')).trim().split('\n').length).toBeGreaterThan(5)
  }
})

test('taco use remembers a bucket, and a completion script is printed', async () => {
  const folder = await tempFolder()

  expect(await runTaco(['use', `file://${folder}/bucket`], { cwd: folder })).toMatchObject({ code: 0 })
  expect(await runTaco(['unit', 'create', 'prod/app'], { cwd: folder })).toMatchObject({ code: 0 })
  const listed = await runTaco(['unit', 'ls'], { cwd: folder })
  const script = await runTaco(['completion', 'bash'], { cwd: folder })

  expect(listed.stdout).toContain('prod/app')
  expect(script.stdout).toContain('complete')
})
