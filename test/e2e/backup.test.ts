import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { startServer } from '../rig/server.ts'
import { runTaco } from '../rig/taco.ts'
import { tempFolder } from '../rig/temp.ts'
import { eventually } from '../rig/wait.ts'

const State = z.looseObject({ serial: z.number() })

function stateOf(unit: string, serial: number): string {
  const outputs = {
    serial: { type: 'number', value: serial },
    filler: { type: 'string', value: 'x'.repeat(20_000) },
  }
  return JSON.stringify({
    version: 4,
    terraform_version: '1.9.0',
    serial,
    lineage: unit,
    outputs,
    resources: [],
  })
}

test('a copy of the bucket taken while writes go on comes back consistent', async () => {
  const server = await startServer()
  const original = new URL(server.bucket).pathname
  const copies = await tempFolder()
  const units = ['prod/a', 'prod/b', 'prod/c', 'prod/d']
  const acknowledged = new Map<string, number>()
  const over = new AbortController()
  const writers = units.map(async (unit) => {
    for (let serial = 1; !over.signal.aborted; serial++) {
      const answer = await fetch(`${server.url}/v1/backend/default/${unit}`, {
        method: 'POST',
        body: stateOf(unit, serial),
      })
      expect(answer.status, await answer.text()).toBe(200)
      acknowledged.set(unit, serial)
    }
  })
  // A failed write is reported below, after the copies; until then it must not end the whole run.
  const written = Promise.allSettled(writers)
  const taken: { folder: string; before: ReadonlyMap<string, number> }[] = []
  try {
    for (let at = 0; at < 3; at++) {
      const folder = join(copies, `copy-${at}`)
      await eventually(`every unit to have ${10 * (at + 1)} versions`, () =>
        units.every((unit) => (acknowledged.get(unit) ?? 0) >= 10 * (at + 1)),
      )
      const before = new Map(acknowledged)
      const copied = await runCopy(original, folder)
      if (copied) taken.push({ folder, before })
    }
  } finally {
    over.abort()
    await written
  }
  await Promise.all(writers)

  expect(taken.length).toBeGreaterThan(0)
  for (const { folder, before } of taken) {
    const checked = await runTaco(['doctor', '--deep', '--repair', '--bucket', `file://${folder}`], {
      cwd: copies,
    })
    const again = await runTaco(['doctor', '--deep', '--bucket', `file://${folder}`], { cwd: copies })
    expect([0, 7], checked.output).toContain(checked.code)
    // Only what was written while the copy was made may lack in its history, and is named.
    const errors = again.output.split('\n').filter((line) => line.startsWith('error'))
    expect(again, again.output).toMatchObject({ code: errors.length === 0 ? 0 : 7 })
    for (const line of errors) {
      const [, unit = '', version = ''] = /^error +(\S+): version (\d+) is missing$/.exec(line) ?? []
      expect(Number(version), again.output).toBeGreaterThan(before.get(unit) ?? Infinity)
    }
    const restored = await startServer({ bucket: `file://${folder}` })
    for (const unit of units) {
      const address = `${restored.url}/v1/backend/default/${unit}`
      const answer = await fetch(address)
      const serial = answer.status === 200 ? State.parse(await answer.json()).serial : 0
      expect(serial, unit).toBeGreaterThanOrEqual(before.get(unit) ?? 0)
      // Whoever held a lock while the copy was made holds it in the copy too.
      const freed = await runTaco(['unlock', unit, '--force', '--server', restored.url], { cwd: copies })
      expect(freed, freed.output).toMatchObject({ code: 0 })
      const next = await fetch(address, { method: 'POST', body: stateOf(unit, serial + 1) })
      expect(next.status, await next.text()).toBe(200)
    }
    await restored.stop()
  }
})

/**
 * Copies as an administrator would, with a tool that keeps links as they are, and again over the same copy
 * while files vanished under its hands. Whether a pass ended without such a complaint.
 */
async function runCopy(from: string, to: string): Promise<boolean> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const complaint = await copyOnce(from, to)
    if (complaint === undefined) return true
    expect(complaint).toContain('No such file or directory')
  }
  return false
}

async function copyOnce(from: string, to: string): Promise<string | undefined> {
  const environment = { ...process.env, LC_ALL: 'C' }
  return await new Promise((resolve) => {
    execFile('cp', ['-a', `${from}/.`, to], { env: environment }, (error, _stdout, stderr) => {
      resolve(error === null ? undefined : stderr)
    })
  })
}
