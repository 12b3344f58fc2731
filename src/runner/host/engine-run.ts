import { existsSync } from 'node:fs'
import {
  type Engine,
  type EngineEnd,
  isInitNeeded,
  isMissingVariables,
  startEngine,
} from '../../engines/index.ts'
import type { VariableFiles } from '../run-variables.ts'
import { dataDir, noteEngine } from './left-engine.ts'
import type { RunFiles, RunFolder } from './run-folder.ts'

export interface UnitRun {
  readonly program: string
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly runFolder: RunFolder
  readonly varFiles: readonly string[]
  readonly variables: VariableFiles
  /** Asks for a saved plan first. */
  readonly separatePlan: boolean
  readonly colour: boolean
  readonly ownGroup: boolean
  readonly onLine: (line: string) => void
  /** Which process runs could not be recorded for other workers. */
  readonly onUnrecorded: (reason: string) => void
  /** Told of each process and its command, so that it can be interrupted. */
  readonly onEngine: (engine: Engine, command: string) => void
}

export interface UnitRunEnd {
  readonly exitCode: number
  readonly output: string
  /** Of all processes together. */
  readonly engineMs: number
}

const CHANGES = 2

/** Applies one unit. Initializes only a folder that never was, or one that the engine asks for. */
export function applyUnit(run: UnitRun): Promise<UnitRunEnd> {
  return inFolder(run, (process) => applyIn(run, process))
}

async function applyIn(run: UnitRun, process: EngineIn): Promise<UnitRunEnd> {
  if (!existsSync(dataDir(run.folder, run.env))) {
    const ready = await process.init()
    if (ready.exitCode !== 0) return process.endOf(ready)
  }
  let end = await attempt(run, process)
  if (end.exitCode !== 0 && isInitNeeded(end.output)) {
    const ready = await process.init()
    end = ready.exitCode === 0 ? await attempt(run, process) : ready
  }
  return process.endOf(end)
}

/** Plans one unit without locking or storing anything. 2: there are changes. */
export function planUnit(run: UnitRun): Promise<UnitRunEnd> {
  return inFolder(run, (process) => planIn(run, process))
}

async function planIn(run: UnitRun, process: EngineIn): Promise<UnitRunEnd> {
  const plan = () => process.start('plan', ['-lock=false', '-detailed-exitcode', ...process.varFiles])
  if (!existsSync(dataDir(run.folder, run.env))) {
    const ready = await process.init()
    if (ready.exitCode !== 0) return process.endOf(ready)
  }
  let end = await plan()
  if (end.exitCode === 1 && isInitNeeded(end.output)) {
    const ready = await process.init()
    end = ready.exitCode === 0 ? await plan() : ready
  }
  return process.endOf(end)
}

async function attempt(run: UnitRun, process: EngineIn): Promise<EngineEnd> {
  if (!run.separatePlan) return process.start('apply', ['-auto-approve', ...process.varFiles])
  const file = process.own.file('plan')
  const plan = await process.start('plan', [`-out=${file}`, '-detailed-exitcode', ...process.varFiles])
  if (plan.exitCode !== CHANGES) return plan
  const end = await process.start('apply', [file])
  if (end.exitCode === 0 || !isMissingVariables(end.output)) return end
  return process.start('apply', [...process.varFiles, file])
}

type EngineIn = ReturnType<typeof engineIn>

/** The engine's input is stored where no one else can read it, and no longer than it runs. */
async function inFolder(run: UnitRun, work: (process: EngineIn) => Promise<UnitRunEnd>): Promise<UnitRunEnd> {
  const own = run.runFolder.open()
  try {
    return await work(engineIn(run, own))
  } finally {
    own.remove()
  }
}

function engineIn(run: UnitRun, own: RunFiles) {
  const { json, hcl } = run.variables
  const last = [
    ...(json === undefined ? [] : [own.write('variables.tfvars.json', json)]),
    ...(hcl === undefined ? [] : [own.write('variables.tfvars', hcl)]),
  ]
  const varFiles = [...run.varFiles, ...last].map((name) => `-var-file=${name}`)
  let engineMs = 0
  async function start(command: string, args: readonly string[]): Promise<EngineEnd> {
    const { program, folder: cwd, env, onLine, ownGroup } = run
    const all = [command, '-input=false', ...(run.colour ? [] : ['-no-color']), ...args]
    const engine = startEngine({ program, args: all, cwd, env, onLine, ownGroup })
    run.onEngine(engine, command)
    const note = command === 'apply' ? noteEngine(cwd, env, engine.pid) : undefined
    if (note?.missing !== undefined) run.onUnrecorded(note.missing)
    const end = await engine.ended.finally(note?.forget)
    engineMs += end.ms
    return end
  }
  return {
    own,
    start,
    varFiles,
    // OpenTofu lets backends and sources of modules depend on variables.
    init: () => start('init', varFiles),
    endOf: ({ exitCode, output }: EngineEnd): UnitRunEnd => ({ exitCode, output, engineMs }),
  }
}
