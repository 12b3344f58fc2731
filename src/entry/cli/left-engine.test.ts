import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { engineLeft, noteEngine } from './left-engine.ts'
import { makeRunFolder, removeAbandoned } from './run-folder.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'taco-left-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const deadPid = () => spawnSync('true').pid

test('an engine that was left is found as long as it runs, and never mistaken for another process', async () => {
  const unit = folder()
  mkdirSync(join(unit, '.terraform'))
  const engine = spawn('sleep', ['60'], { stdio: 'ignore' })
  const ended = once(engine, 'exit')

  expect(engineLeft(unit)).toBeUndefined()
  const forget = noteEngine(unit, engine.pid)
  expect(engineLeft(unit)).toBe(engine.pid)
  engine.kill('SIGKILL')
  await ended
  expect(engineLeft(unit)).toBeUndefined()
  // The number is in use again, by a process that began at another time.
  writeFileSync(join(unit, '.terraform/taco-engine.json'), JSON.stringify({ pid: process.pid, began: '1' }))
  expect(engineLeft(unit)).toBe(existsSync('/proc/self/stat') ? undefined : process.pid)
  writeFileSync(join(unit, '.terraform/taco-engine.json'), '{"pid":')
  expect(engineLeft(unit)).toBeUndefined()
  forget?.()
  expect(readdirSync(join(unit, '.terraform'))).toEqual([])
})

test('what a killed worker left among temporary files is taken away, and nothing of the living', () => {
  const temporary = folder()
  vi.stubEnv('TMPDIR', temporary)
  onTestFinished(() => void vi.unstubAllEnvs())
  const own = makeRunFolder()
  own.write('variables.tfvars.json', '{"password":"s3cret"}')
  const [living = ''] = readdirSync(temporary)
  const [old, young] = [`taco-run-${deadPid()}-a`, `taco-run-${deadPid()}-b`]
  for (const name of [old, young, 'taco-run-', 'other']) mkdirSync(join(temporary, name))
  for (const name of [old, 'taco-run-', 'other', living]) utimesSync(join(temporary, name), 1, 1)

  removeAbandoned(Date.now())

  expect(readdirSync(temporary).toSorted()).toEqual([living, young, 'taco-run-', 'other'].toSorted())
})
