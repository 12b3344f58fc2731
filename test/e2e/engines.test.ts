import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { engines } from '../rig/engines.ts'
import { httpBackend, oneResource, waitingResource } from '../rig/hcl.ts'
import { startServer } from '../rig/server.ts'
import { runTaco } from '../rig/taco.ts'
import { eventually } from '../rig/wait.ts'
import { workdir } from '../rig/workdir.ts'

const Unit = z.looseObject({ lock: z.looseObject({ id: z.string(), info: z.unknown() }) })
const State = z.looseObject({ serial: z.number(), lineage: z.string(), resources: z.array(z.unknown()) })

describe.each(engines())('$name', (engine) => {
  test('runs init, plan, apply, a plan without changes, and destroy', async () => {
    const server = await startServer()
    const code = await workdir(engine, httpBackend(server.url, 'prod/app') + oneResource('first'))

    await code.must(['init'])
    expect((await code.run(['plan', '-detailed-exitcode'])).code).toBe(2)
    await code.must(['apply', '-auto-approve'])
    expect((await code.run(['plan', '-detailed-exitcode'])).code).toBe(0)
    expect((await code.must(['output', '-raw', 'value'])).stdout).toBe('first')
    await code.must(['destroy', '-auto-approve'])

    const state = State.parse(await (await fetch(`${server.url}/v1/backend/default/prod/app`)).json())
    expect(state.resources).toEqual([])
    expect(existsSync(join(code.folder, 'terraform.tfstate'))).toBe(false)
  })

  test('keeps the state byte for byte, in the bucket too', async () => {
    const server = await startServer()
    const code = await workdir(
      engine,
      httpBackend(server.url, 'prod/app') + oneResource('"quoted\\" ünïcode'.slice(1)),
    )
    await code.must(['init'])
    await code.must(['apply', '-auto-approve'])

    const served = Buffer.from(await (await fetch(`${server.url}/v1/backend/default/prod/app`)).arrayBuffer())
    const stored = await readFile(join(new URL(server.bucket).pathname, 'prod/app/terraform.tfstate'))
    const pulled = (await code.must(['state', 'pull'])).stdout

    expect(served.equals(stored)).toBe(true)
    expect(JSON.parse(pulled)).toEqual(JSON.parse(served.toString()))
  })

  test('pulls a state and pushes it back with the next serial, and an older one is refused', async () => {
    const server = await startServer()
    const code = await workdir(engine, httpBackend(server.url, 'prod/app') + oneResource('first'))
    await code.must(['init'])
    await code.must(['apply', '-auto-approve'])
    const before = State.parse(JSON.parse((await code.must(['state', 'pull'])).stdout))

    await code.write('next.tfstate', JSON.stringify({ ...before, serial: before.serial + 5 }))
    await code.must(['state', 'push', 'next.tfstate'])
    await code.write('old.tfstate', JSON.stringify({ ...before, serial: before.serial - 1 }))
    const refused = await code.run(['state', 'push', 'old.tfstate'])

    const after = State.parse(JSON.parse((await code.must(['state', 'pull'])).stdout))
    expect(after.lineage).toBe(before.lineage)
    expect(after.serial).toBeGreaterThanOrEqual(before.serial + 5)
    expect(refused.code).toBe(1)
  })

  test('takes its local state along with init -migrate-state', async () => {
    const server = await startServer()
    const code = await workdir(engine, oneResource('made locally'))
    await code.must(['init'])
    await code.must(['apply', '-auto-approve'])
    const local = State.parse(JSON.parse(await readFile(join(code.folder, 'terraform.tfstate'), 'utf8')))

    await code.write('backend.tf', httpBackend(server.url, 'prod/moved'))
    await code.must(['init', '-migrate-state', '-force-copy'])

    const moved = State.parse(await (await fetch(`${server.url}/v1/backend/default/prod/moved`)).json())
    expect(moved.resources).toEqual(local.resources)
    expect((await code.run(['plan', '-detailed-exitcode'])).code).toBe(0)
  })

  test('two applies at once give one clear lock error that names the holder', async () => {
    const server = await startServer()
    const block = httpBackend(server.url, 'prod/app')
    const first = await workdir(engine, block)
    const [started, go] = [join(first.folder, 'started'), join(first.folder, 'go')]
    await first.write('waiting.tf', waitingResource(started, go))
    const second = await workdir(engine, block + oneResource('other'))
    await first.must(['init'])
    await second.must(['init'])

    const holder = first.start(['apply', '-auto-approve'])
    await eventually('the first apply to be under way', () => existsSync(started))
    const { lock } = Unit.parse(await (await fetch(`${server.url}/v1/units/prod--app`)).json())
    const refused = await second.run(['apply', '-auto-approve', '-no-color'])
    await writeFile(go, '')
    const finished = await holder.finished

    expect(refused.code).toBe(1)
    expect(refused.output).toContain('Error acquiring the state lock')
    expect(refused.output).toContain(lock.id)
    expect(refused.output).toMatch(/Who:\s+\S+@\S+/)
    expect(lock.info).toMatchObject({ Operation: 'OperationTypeApply', Who: expect.stringContaining('@') })
    expect(finished.code).toBe(0)
    await second.must(['plan'])
  })

  test('is let in again by force-unlock', async () => {
    const server = await startServer()
    const code = await workdir(engine, httpBackend(server.url, 'prod/app') + oneResource('first'))
    await code.must(['init'])
    const id = 'b1d2a3c4-0000-4000-8000-000000000001'
    const lock = {
      ID: id,
      Operation: 'OperationTypeApply',
      Info: '',
      Who: 'somebody@elsewhere',
      Version: '1.9.9',
      Created: '2026-01-02T03:04:05Z',
      Path: '',
    }
    const held = await fetch(`${server.url}/v1/backend/default/prod/app`, {
      method: 'LOCK',
      body: JSON.stringify(lock),
    })

    const refused = await code.run(['apply', '-auto-approve', '-no-color'])
    await code.must(['force-unlock', '-force', id])
    await code.must(['apply', '-auto-approve'])

    expect(held.status).toBe(200)
    expect(refused.output).toContain(id)
    if (engine.showsHolder) expect(refused.output).toContain('somebody@elsewhere')
  })

  test('saves what was done and lets go of the lock when it is interrupted in the middle', async () => {
    const server = await startServer()
    const code = await workdir(engine, httpBackend(server.url, 'prod/app') + oneResource('first'))
    const [started, go] = [join(code.folder, 'started'), join(code.folder, 'go')]
    await code.write('waiting.tf', waitingResource(started, go))
    await code.must(['init'])

    const apply = code.start(['apply', '-auto-approve', '-no-color'])
    await eventually('the apply to be under way', () => existsSync(started))
    apply.signal('SIGINT')
    await eventually('the engine to notice', () => apply.output().includes('Interrupt received'))
    await writeFile(go, '')
    await apply.finished

    const state = State.parse(await (await fetch(`${server.url}/v1/backend/default/prod/app`)).json())
    expect(state.resources.length).toBeGreaterThan(0)
    await code.must(['apply', '-auto-approve'])
  })

  test('an apply survives a server that is killed and restarted', async () => {
    const server = await startServer()
    const code = await workdir(engine, httpBackend(server.url, 'prod/app'))
    const [started, go] = [join(code.folder, 'started'), join(code.folder, 'go')]
    await code.write('waiting.tf', waitingResource(started, go))
    await code.must(['init'])

    const apply = code.start(['apply', '-auto-approve'])
    await eventually('the apply to be under way', () => existsSync(started))
    await server.kill9()
    await startServer({ bucket: server.bucket, port: server.port })
    await writeFile(go, '')

    expect(await apply.finished).toMatchObject({ code: 0 })
    expect((await code.run(['plan', '-detailed-exitcode'])).code).toBe(0)
  })

  test('a lock left by a killed engine is shown and broken by taco unlock', async () => {
    const server = await startServer()
    const code = await workdir(engine, httpBackend(server.url, 'prod/app'))
    const [started, go] = [join(code.folder, 'started'), join(code.folder, 'go')]
    await code.write('waiting.tf', waitingResource(started, go))
    await code.must(['init'])
    const apply = code.start(['apply', '-auto-approve'])
    await eventually('the apply to be under way', () => existsSync(started))
    apply.signal('SIGKILL')
    await apply.finished
    await writeFile(go, '')

    const refused = await runTaco(['unlock', 'prod/app', '--server', server.url], { cwd: code.folder })
    const broken = await runTaco(['unlock', 'prod/app', '--force', '--server', server.url], {
      cwd: code.folder,
    })

    expect(refused.code).toBe(4)
    expect(refused.stderr).toMatch(/OperationTypeApply|@/)
    expect(broken).toMatchObject({ code: 0 })
    await code.must(['plan'])
  })
})
