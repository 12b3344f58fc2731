import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { processOf } from './process-life.ts'

test('a process that lives and is hidden from us is not taken for gone', () => {
  const proc = mkdtempSync(join(tmpdir(), 'taco-proc-'))
  onTestFinished(() => rmSync(proc, { recursive: true, force: true }))
  mkdirSync(join(proc, 'self'))
  writeFileSync(join(proc, 'self', 'stat'), '')

  expect(processOf(process.pid, proc)).toBeUndefined()
  expect(processOf(spawnSync('true').pid, proc)).toMatchObject({ isRunning: false })
})
