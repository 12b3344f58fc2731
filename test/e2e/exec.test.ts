import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { engines } from '../rig/engines.ts'
import { oneResource, waitingResource } from '../rig/hcl.ts'
import { runTaco, startTaco } from '../rig/taco.ts'
import { tempFolder } from '../rig/temp.ts'
import { eventually } from '../rig/wait.ts'
import { workdir } from '../rig/workdir.ts'

const bareBackend = 'terraform {\n  backend "http" {}\n}\n'

describe.each(engines())('taco exec with $name and no server', (engine) => {
  test('a laptop and a bucket are enough', async () => {
    const bucket = `file://${await tempFolder()}`
    const code = await workdir(engine, bareBackend + oneResource('first'))
    const exec = (...args: string[]) =>
      runTaco(['exec', 'prod/app', '--bucket', bucket, '--', engine.path, ...args], {
        cwd: code.folder,
        env: code.env,
      })

    expect(await exec('init')).toMatchObject({ code: 0 })
    expect(await exec('apply', '-auto-approve')).toMatchObject({ code: 0 })
    const output = await exec('output', '-raw', 'value')
    const unchanged = await exec('plan', '-detailed-exitcode')
    const versions = await runTaco(['state', 'versions', 'prod/app', '--bucket', bucket], {
      cwd: code.folder,
    })

    expect(output).toMatchObject({ code: 0, stdout: 'first' })
    expect(unchanged.code).toBe(0)
    expect(versions.code).toBe(0)
    expect(existsSync(join(new URL(bucket).pathname, 'prod/app/terraform.tfstate'))).toBe(true)
  })

  test('hands on the exit code of what it ran', async () => {
    const bucket = `file://${await tempFolder()}`
    const code = await workdir(engine, bareBackend + oneResource('first'))
    const exec = (...args: string[]) =>
      runTaco(['exec', 'prod/app', '--bucket', bucket, '--', ...args], { cwd: code.folder, env: code.env })

    await exec(engine.path, 'init')

    expect((await exec(engine.path, 'plan', '-detailed-exitcode')).code).toBe(2)
    expect((await exec('sh', '-c', 'exit 41')).code).toBe(41)
  })

  test('Ctrl-C reaches the engine, which saves what was done and lets go of the lock', async () => {
    const bucket = `file://${await tempFolder()}`
    const code = await workdir(engine, bareBackend)
    const [started, go] = [join(code.folder, 'started'), join(code.folder, 'go')]
    await code.write('waiting.tf', waitingResource(started, go))
    const args = (...rest: string[]) => ['exec', 'prod/app', '--bucket', bucket, '--', engine.path, ...rest]
    await runTaco(args('init'), { cwd: code.folder, env: code.env })

    const apply = startTaco(args('apply', '-auto-approve', '-no-color'), { cwd: code.folder, env: code.env })
    await eventually('the apply to be under way', () => existsSync(started))
    apply.signal('SIGINT')
    await eventually('the engine to notice', () => apply.output().includes('Interrupt received'))
    await writeFile(go, '')
    await apply.finished

    const again = await runTaco(args('apply', '-auto-approve'), { cwd: code.folder, env: code.env })
    expect(again, again.output).toMatchObject({ code: 0 })
  })

  test('two people with the same bucket exclude each other', async () => {
    const bucket = `file://${await tempFolder()}`
    const [one, two] = [
      await workdir(engine, bareBackend),
      await workdir(engine, bareBackend + oneResource('other')),
    ]
    const [started, go] = [join(one.folder, 'started'), join(one.folder, 'go')]
    await one.write('waiting.tf', waitingResource(started, go))
    const args = (...rest: string[]) => ['exec', 'prod/app', '--bucket', bucket, '--', engine.path, ...rest]
    await runTaco(args('init'), { cwd: one.folder, env: one.env })
    await runTaco(args('init'), { cwd: two.folder, env: two.env })

    const holder = startTaco(args('apply', '-auto-approve'), { cwd: one.folder, env: one.env })
    await eventually('the first apply to be under way', () => existsSync(started))
    const refused = await runTaco(args('apply', '-auto-approve', '-no-color'), {
      cwd: two.folder,
      env: two.env,
    })
    await writeFile(go, '')

    expect(refused.code).toBe(1)
    expect(refused.output).toContain('Error acquiring the state lock')
    expect(refused.output).toMatch(/Who:\s+\S+@\S+/)
    expect(await holder.finished).toMatchObject({ code: 0 })
  })
})
