import { execFile } from 'node:child_process'
import { mkdir, readdir } from 'node:fs/promises'
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

test.each([
  { order: 'in any order', copy: runCopy, mayLack: true, times: 3 },
  { order: 'documents of units first', copy: copyDocumentsFirst, mayLack: false, times: 1 },
])('a copy taken while writes go on comes back consistent: $order', async ({ copy, mayLack, times }) => {
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
    for (let at = 0; at < times; at++) {
      const folder = join(copies, `copy-${at}`)
      await eventually(`every unit to have ${10 * (at + 1)} versions`, () =>
        units.every((unit) => (acknowledged.get(unit) ?? 0) >= 10 * (at + 1)),
      )
      const before = new Map(acknowledged)
      if (await copy(original, folder)) taken.push({ folder, before })
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
    // What was written while the copy was made may lack in its history; what was acknowledged before may not.
    expect(mayLack ? [0, 7] : [0], checked.output).toContain(checked.code)
    for (const line of checked.output.split('\n').filter((one) => one.startsWith('error'))) {
      const [, unit = '', version = ''] = /^error +(\S+): Version (\d+) .*recorded as lost/.exec(line) ?? []
      expect(Number(version), checked.output).toBeGreaterThan(before.get(unit) ?? Infinity)
    }
    const again = await runTaco(['doctor', '--deep', '--bucket', `file://${folder}`], { cwd: copies })
    expect(again, again.output).toMatchObject({ code: 0 })
    const restored = await startServer({ bucket: `file://${folder}` })
    for (const unit of units) {
      const address = `${restored.url}/v1/backend/default/${unit}`
      const answer = await fetch(address)
      const serial = answer.status === 200 ? State.parse(await answer.json()).serial : 0
      expect(serial, unit).toBeGreaterThanOrEqual(before.get(unit) ?? 0)
      // The holder of a lock while the copy was made also holds it in the copy.
      const freed = await runTaco(['unlock', unit, '--force', '--server', restored.url], { cwd: copies })
      expect(freed, freed.output).toMatchObject({ code: 0 })
      const next = await fetch(address, { method: 'POST', body: stateOf(unit, serial + 1) })
      expect(next.status, await next.text()).toBe(200)
    }
    await restored.stop()
    const last = await runTaco(['doctor', '--deep', '--bucket', `file://${folder}`], { cwd: copies })
    expect(last, last.output).toMatchObject({ code: 0 })
  }
})

/**
 * Symbolic links stay as they are, files with several names do not: cp knows them by inode number, and takes a new file
 * that got the number of one that vanished for the same file, with the content of the old one.
 */
const asTheyAre = ['-a', '--no-preserve=links']

/**
 * Copies as an administrator would, with a tool that keeps symbolic links as they are, and again over the same copy
 * while files vanished under its hands. Whether a pass ended without such a complaint.
 */
async function runCopy(from: string, to: string): Promise<boolean> {
  return untilWhole(() => complaintOf('cp', [...asTheyAre, `${from}/.`, to]))
}

/** As docs/operations.md recommends where there is a choice. */
async function copyDocumentsFirst(from: string, to: string): Promise<boolean> {
  await mkdir(to)
  const inFolder = async (folder: string, without: string) =>
    (await readdir(join(from, folder))).filter((name) => name !== without).map((name) => join(folder, name))
  const rest = [
    ...(await inFolder('', '.taco')),
    ...(await inFolder('.taco', 'orgs')),
    ...(await inFolder('.taco/orgs/default', 'units')),
  ]
  const copied = (paths: string[]) =>
    untilWhole(() => complaintOf('cp', [...asTheyAre, '--parents', ...paths, to], from))
  return (await copied(['.taco/orgs/default/units'])) && (await copied(rest))
}

async function untilWhole(copyOnce: () => Promise<string | undefined>): Promise<boolean> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const complaint = await copyOnce()
    if (complaint === undefined) return true
    expect(complaint).toContain('No such file or directory')
  }
  return false
}

async function complaintOf(program: string, args: string[], cwd?: string): Promise<string | undefined> {
  const environment = { ...process.env, LC_ALL: 'C' }
  return await new Promise((resolve) => {
    execFile(program, args, { env: environment, cwd }, (error, _stdout, stderr) => {
      resolve(error === null ? undefined : stderr)
    })
  })
}
