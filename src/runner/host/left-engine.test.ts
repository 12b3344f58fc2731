import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { applyUnit } from './engine-run.ts'
import { engineLeft, noteEngine } from './left-engine.ts'
import { placeOfProcesses, processOf } from './process-life.ts'
import { openRunFolder, removeAbandoned } from './run-folder.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'taco-left-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const deadPid = () => spawnSync('true').pid

test('an engine that was left is found as long as it runs, and never mistaken for another process', async () => {
  const unit = folder()
  mkdirSync(join(unit, '.terraform'))
  const path = () => join(unit, '.terraform', readdirSync(join(unit, '.terraform'))[0] ?? '')
  const engine = spawn('sleep', ['60'], { stdio: 'ignore' })
  const ended = once(engine, 'exit')

  expect(engineLeft(unit, {})).toBeUndefined()
  noteEngine(unit, {}, engine.pid)
  expect(engineLeft(unit, {})).toEqual({ kind: 'running', pid: engine.pid })
  engine.kill('SIGKILL')
  await ended
  expect(engineLeft(unit, {})).toBeUndefined()
  // The number is in use again, by a process that began at another time.
  writeFileSync(path(), JSON.stringify({ pid: process.pid, began: '1' }))
  expect(engineLeft(unit, {})).toBeUndefined()
  // Nothing was written down by which to tell.
  writeFileSync(path(), JSON.stringify({ pid: process.pid }))
  expect(engineLeft(unit, {})).toEqual({ kind: 'perhaps', pid: process.pid, note: path() })
  writeFileSync(path(), '{"pid":')
  expect(engineLeft(unit, {})).toBeUndefined()
})

test('a note goes with its engine, but a worker that comes late leaves the note of the next one', () => {
  const unit = folder()
  mkdirSync(join(unit, '.terraform'))
  const late = noteEngine(unit, {}, deadPid())
  const next = noteEngine(unit, {}, process.pid)

  late?.forget()
  expect(engineLeft(unit, {})).toEqual({ kind: 'running', pid: process.pid })
  next?.forget()
  expect(readdirSync(join(unit, '.terraform'))).toEqual([])
})

test('an engine of another machine or container is not taken for dead because its number is free here', () => {
  const unit = folder()
  mkdirSync(join(unit, '.terraform'))
  const pid = deadPid()
  noteEngine(unit, {}, pid)
  const path = join(unit, '.terraform', readdirSync(join(unit, '.terraform'))[0] ?? '')
  const note = JSON.parse(readFileSync(path, 'utf8')) as object
  expect(engineLeft(unit, {})).toBeUndefined()

  writeFileSync(path, JSON.stringify({ ...note, place: 'far away', host: 'worker-2' }))

  expect(engineLeft(unit, {})).toEqual({ kind: 'elsewhere', pid, host: 'worker-2' })
})

test.each(['/proc', '/nowhere'])(
  'a process is told from another one of its number by %s or else by ps',
  (proc) => {
    const own = processOf(process.pid, proc)
    const parent = processOf(process.ppid, proc)

    expect(own).toMatchObject({ isRunning: true })
    expect(own?.began).toBe(processOf(process.pid, proc)?.began)
    expect(parent?.began).not.toBe('')
    expect(processOf(deadPid(), proc)).toMatchObject({ isRunning: false })
  },
)

/** Runs `script` as the engine that applies the unit in `at`. */
function apply(at: string, script: string, env: Readonly<Record<string, string>> = {}) {
  const program = join(folder(), 'engine')
  writeFileSync(program, `#!/bin/sh\n${script}\n`)
  chmodSync(program, 0o755)
  const unrecorded: string[] = []
  const ended = applyUnit({
    program,
    folder: at,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    runFolder: openRunFolder(),
    varFiles: [],
    variables: { json: undefined, hcl: undefined },
    separatePlan: false,
    colour: false,
    ownGroup: true,
    onLine: () => {},
    onUnrecorded: (reason) => unrecorded.push(reason),
    onEngine: () => {},
  })
  return { ended, unrecorded }
}

test('an engine whose process cannot be recorded is waited for all the same, and that is reported', async () => {
  const unit = folder()
  mkdirSync(join(unit, '.terraform'))
  noteEngine(unit, {}, process.pid)
  const [name = ''] = readdirSync(join(unit, '.terraform'))
  rmSync(join(unit, '.terraform', name))
  mkdirSync(join(unit, '.terraform', name))

  const { ended, unrecorded } = apply(unit, 'sleep 0.3; touch went-on')

  expect(await ended).toMatchObject({ exitCode: 0 })
  expect(existsSync(join(unit, 'went-on'))).toBe(true)
  expect(unrecorded).toHaveLength(1)
})

test('an engine is found wherever it keeps its data, also beside one of another unit', async () => {
  const [one, other, data] = [folder(), folder(), folder()]
  const env = { TF_DATA_DIR: data }
  const go = 'while [ ! -e go-on ]; do sleep 0.02; done'
  const first = apply(one, go, env)
  const second = apply(other, go, env)
  await vi.waitFor(() => expect([engineLeft(one, env), engineLeft(other, env)]).not.toContain(undefined))

  writeFileSync(join(other, 'go-on'), '')
  await second.ended

  expect(engineLeft(other, env)).toBeUndefined()
  expect(engineLeft(one, env)?.kind).toBe('running')
  writeFileSync(join(one, 'go-on'), '')
  await first.ended
  expect(engineLeft(one, env)).toBeUndefined()
})

test('temporary files that cannot be looked through are no reason to fail', () => {
  vi.stubEnv('TMPDIR', join(folder(), 'not there'))
  onTestFinished(() => void vi.unstubAllEnvs())

  expect(() => removeAbandoned(Date.now())).not.toThrow()
})

test('what a killed worker left among temporary files is taken away, and nothing of the living', () => {
  const temporary = folder()
  vi.stubEnv('TMPDIR', temporary)
  onTestFinished(() => void vi.unstubAllEnvs())
  const own = openRunFolder().open()
  own.write('variables.tfvars.json', '{"password":"s3cret"}')
  const [living = ''] = readdirSync(temporary)
  const named = (place: string, which: string) => `taco-run-${place}-${deadPid()}-${which}`
  const [old, young] = [named(placeOfProcesses(), 'a'), named(placeOfProcesses(), 'b')]
  const [elsewhere, forgotten] = [named('0123456789ab', 'a'), named('0123456789ab', 'b')]
  const kept = [living, young, elsewhere, 'taco-run-', 'other']
  for (const name of [old, forgotten, ...kept.slice(1)]) mkdirSync(join(temporary, name))
  for (const name of [old, forgotten, 'taco-run-', 'other', living]) utimesSync(join(temporary, name), 1, 1)
  const hourAgo = Date.now() / 1000 - 3600
  utimesSync(join(temporary, elsewhere), hourAgo, hourAgo)

  removeAbandoned(Date.now())

  expect(readdirSync(temporary).toSorted()).toEqual(kept.toSorted())
})
