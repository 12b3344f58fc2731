import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { engines } from '../../rig/engines.ts'
import type { Engine } from '../../rig/engines.ts'
import { makeRepository } from '../../rig/repository.ts'
import { startServer } from '../../rig/server.ts'
import { tempFolder } from '../../rig/temp.ts'
import { eventually } from '../../rig/wait.ts'

/** A lock of a step holds for two leases of 5 s: what ends later was renewed by somebody. */
const LOCK_MS = 10_000

/** One unit whose resource takes as long to make as the test says; each making leaves a line. */
async function slowUnit(engine: Engine, target: Readonly<Record<string, string>>) {
  const repo = await makeRepository(engine, target, { 'taco.yaml': 'units:\n  a: {}\n' })
  const effects = join(repo.root, 'effects')
  const go = join(repo.root, 'go')
  await repo.write(
    'a/main.tf',
    `
terraform {
  backend "http" {}
}
resource "terraform_data" "it" {
  provisioner "local-exec" {
    command = "echo made >> '${effects}'; until [ -e '${go}' ] || [ ! -e '${effects}' ]; do sleep 0.05; done"
  }
}
`,
  )
  await repo.must('sync', '--yes')
  const id = (await repo.must('rollout', 'start', '-q', '--from', 'a')).trim()
  return {
    ...repo,
    id,
    made: () => (existsSync(effects) ? readFileSync(effects, 'utf8').trim().split('\n').length : 0),
    letGo: () => repo.write('go', ''),
    errored: join(repo.root, 'a/errored.tfstate'),
  }
}

describe.each(engines())('a rollout with $name', (engine) => {
  test('an engine whose worker was killed ends its work, and the next worker waits for it', async () => {
    const { url } = await startServer()
    const unit = await slowUnit(engine, { TACO_SERVER: url })
    const doomed = unit.start('rollout', 'work', unit.id, '--lease', '5s')
    await eventually('the apply to be under way', () => unit.made() === 1)
    doomed.signal('SIGKILL')
    await doomed.finished
    const killedAt = Date.now()

    const other = unit.start('rollout', 'work', unit.id, '--lease', '5s')
    await eventually(
      () => `the other worker to wait; it said: ${other.output()}`,
      () => other.output().includes('is still running'),
    )
    await eventually('somebody to keep the lock of the dead worker alive', async () => {
      const { lock } = (await (await fetch(`${url}/v1/units/a/lock`)).json()) as {
        lock: { leaseUntil: string }
      }
      return Date.parse(lock.leaseUntil) > killedAt + LOCK_MS
    })
    await unit.letGo()
    const finished = await other.finished

    expect(finished.output).toContain('0 added')
    expect(finished.code).toBe(0)
    expect(unit.made()).toBe(1)
    expect(existsSync(unit.errored)).toBe(false)
  })

  test('a state that could not be stored is never made a second time', async () => {
    const server = await startServer()
    const unit = await slowUnit(engine, { TACO_SERVER: server.url, TF_HTTP_RETRY_MAX: '0' })
    const worker = unit.start('rollout', 'work', unit.id, '--lease', '1s')
    await eventually('the apply to be under way', () => unit.made() === 1)
    await server.kill9()
    await unit.letGo()
    await eventually('the engine to give up', () => existsSync(unit.errored))
    await startServer({ port: server.port, bucket: server.bucket })
    const first = await worker.finished
    await unit.taco('rollout', 'resume', unit.id)

    const second = await unit.taco('rollout', 'work', unit.id, '--lease', '1s')
    const push = /Store it first: `([^`]*)`/.exec(second.output)?.[1] ?? ''
    await unit.shell(push)
    await unit.taco('rollout', 'resume', unit.id)
    await unit.must('rollout', 'work', unit.id, '--lease', '1s')

    expect(first.code).not.toBe(0)
    expect(second.code).toBe(1)
    expect(first.output).toContain(push)
    expect(second.output).not.toContain('try what failed again')
    expect(unit.made()).toBe(1)
  })

  test('a worker that nobody reads any more goes on, and its engine can store what it made', async () => {
    const bucket = await tempFolder()
    const unit = await slowUnit(engine, { TACO_BUCKET: `file://${bucket}`, TF_HTTP_RETRY_MAX: '0' })
    const read = unit.shell(`(taco rollout work ${unit.id}; echo $? > code) | head -1`)
    await eventually('the apply to be under way', () => unit.made() === 1)
    await unit.letGo()
    await read

    expect(readFileSync(join(unit.root, 'code'), 'utf8')).toBe('0\n')
    expect(existsSync(unit.errored)).toBe(false)
    expect(await unit.must('rollout', 'status', unit.id)).toContain(`${unit.id} done`)
  })

  test('without a server the backend ends with the worker, and what the engine made is not lost', async () => {
    const bucket = await tempFolder()
    const unit = await slowUnit(engine, { TACO_BUCKET: `file://${bucket}`, TF_HTTP_RETRY_MAX: '0' })
    const doomed = unit.start('rollout', 'work', unit.id, '--lease', '1s')
    await eventually('the apply to be under way', () => unit.made() === 1)
    doomed.signal('SIGKILL')
    await doomed.finished
    await unit.letGo()
    await eventually('the engine to give up', () => existsSync(unit.errored))

    const next = await unit.taco('rollout', 'work', unit.id, '--lease', '1s')

    expect(next.code).toBe(1)
    expect(next.output).toContain('state push -lock-timeout=2m errored.tfstate')
    expect(unit.made()).toBe(1)
  })
})
