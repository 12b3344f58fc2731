import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { startServer } from '../rig/server.ts'
import { runTaco } from '../rig/taco.ts'
import { tempFolder } from '../rig/temp.ts'

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
  const taken: { folder: string; before: ReadonlyMap<string, number> }[] = []
  for (let at = 0; at < 3; at++) {
    const folder = join(copies, `copy-${at}`)
    const before = new Map(acknowledged)
    // A file may vanish under the hands of whoever copies; every tool for copies knows that.
    const copied = await runCopy(original, folder)
    if (copied) taken.push({ folder, before })
  }
  over.abort()
  await Promise.all(writers)

  expect(taken.length).toBeGreaterThan(0)
  for (const { folder, before } of taken) {
    const checked = await runTaco(['doctor', '--deep', '--repair', '--bucket', `file://${folder}`], {
      cwd: copies,
    })
    const again = await runTaco(['doctor', '--deep', '--bucket', `file://${folder}`], { cwd: copies })
    expect([0, 7], checked.output).toContain(checked.code)
    expect(again, again.output).toMatchObject({ code: 0 })
    const restored = await startServer({ bucket: `file://${folder}` })
    for (const unit of units) {
      const address = `${restored.url}/v1/backend/default/${unit}`
      const answer = await fetch(address)
      const serial = answer.status === 200 ? State.parse(await answer.json()).serial : 0
      expect(serial, unit).toBeGreaterThanOrEqual(before.get(unit) ?? 0)
      const next = await fetch(address, { method: 'POST', body: stateOf(unit, serial + 1) })
      expect(next.status, await next.text()).toBe(200)
    }
    await restored.stop()
  }
})

async function runCopy(from: string, to: string): Promise<boolean> {
  for (let attempt = 0; attempt < 20; attempt++) {
    try {
      await cp(from, to, { recursive: true, force: true })
      return true
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
  }
  return false
}
