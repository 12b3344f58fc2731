import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, type TestContext } from 'vitest'
import { leaveOut } from '../peers/toolchain.ts'
import { startServer } from '../rig/server.ts'
import { eventually } from '../rig/wait.ts'

/** A separate file system that is small enough to fill; skipped where mounting is not allowed. */
function smallDisk(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'taco-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder])
  onTestFinished(() => {
    if (mounted.status === 0) spawnSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true, force: true })
  })
  if (mounted.status === 0) return folder
  leaveOut('the full disk', 'mounting a small file system needs root')
  return context.skip('mounting a small file system needs root')
}

function stateOf(serial: number, bytes = 10): string {
  const outputs = { filler: { type: 'string', value: `${serial}`.padEnd(bytes, 'x') } }
  return JSON.stringify({
    version: 4,
    terraform_version: '1.9.0',
    serial,
    lineage: 'l',
    outputs,
    resources: [],
  })
}

test('a full disk refuses the write, keeps the state, and is fine again when there is room', async (context) => {
  const folder = smallDisk(context)
  const server = await startServer({ bucket: `file://${folder}/bucket` })
  const address = `${server.url}/v1/backend/default/prod/app`
  const write = (state: string) => fetch(address, { method: 'POST', body: state })
  expect((await write(stateOf(1))).status).toBe(200)

  fill(join(folder, 'filler'))
  const refused = await write(stateOf(2, 1_000_000))
  const kept = await (await fetch(address)).text()
  await unlink(join(folder, 'filler'))
  // A lock that could not be released for lack of space is free when its lease expires.
  await eventually(
    'the write to be taken',
    async () => (await write(stateOf(2, 1_000_000))).status === 200,
    180_000,
  )

  expect(refused.status).toBe(503)
  expect(await refused.json()).toMatchObject({ code: 'BUCKET_UNAVAILABLE' })
  expect(kept).toBe(stateOf(1))
  expect(await (await fetch(address)).text()).toBe(stateOf(2, 1_000_000))
})

/** Leaves not one byte free. */
function fill(path: string): void {
  for (const size of [1_000_000, 4096, 1]) {
    for (;;) {
      const before = statSync(path, { throwIfNoEntry: false })?.size ?? 0
      try {
        writeFileSync(path, Buffer.alloc(size), { flag: 'a' })
      } catch {
        break
      }
      if (statSync(path).size === before) break
    }
  }
}
