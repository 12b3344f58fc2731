import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, constants, openSync, readSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { TacoError, reasonOf } from '../base/errors.ts'

export interface EngineRun {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Whole lines, as they arrive. */
  readonly onLine: (line: string) => void
  /** In its own process group, so that a signal to ours does not reach it, or not a second time. */
  readonly ownGroup: boolean
}

export interface EngineEnd {
  readonly exitCode: number
  readonly ms: number
  /** The end of its output. */
  readonly output: string
}

/** An engine at work. */
export interface Engine {
  /** Undefined: it could not be started. */
  readonly pid: number | undefined
  readonly ended: Promise<EngineEnd>
  /** Engines end in order at the first interrupt, and at once, without unlocking, at the second. */
  signal(name: NodeJS.Signals): void
}

const KEPT_BYTES = 64 * 1024
/** Slow enough to cost nothing, fast enough to be read along. */
const LOOK_EVERY_MS = 50

export function startEngine({ program, args, cwd, env, onLine, ownGroup }: EngineRun): Engine {
  const started = performance.now()
  const file = openLog()
  const child = spawn(program, [...args], {
    cwd,
    env: { ...env },
    stdio: ['ignore', file, file],
    detached: ownGroup,
  })
  const said = follow(file, onLine)
  const looking = setInterval(said.look, LOOK_EVERY_MS)
  const ended = new Promise<EngineEnd>((resolve, reject) => {
    child.once('error', (error) => reject(cannotStart(program, error)))
    // Not `close`: that event follows even a failed start.
    child.once('exit', (code) => {
      const output = said.end()
      resolve({ exitCode: code ?? 1, ms: performance.now() - started, output })
    })
  }).finally(() => {
    clearInterval(looking)
    closeSync(file)
  })
  return { pid: child.pid, ended, signal: (name) => void child.kill(name) }
}

/** From <fcntl.h>; Node does not name it. */
const O_TMPFILE = 0o20000000 | constants.O_DIRECTORY

/**
 * The file that an engine prints to. A pipe would break when we die, and the engine with it, before it has stored what
 * it made. The file has no name, so nothing of it is left behind. Where a file can only be made with a name, that takes
 * as long as some steps of the engine.
 */
function openLog(): number {
  if (process.platform === 'linux') {
    try {
      return openSync(tmpdir(), O_TMPFILE | constants.O_RDWR | constants.O_APPEND, 0o600)
    } catch {
      // Not every file system can.
    }
  }
  const path = join(tmpdir(), `taco-log-${randomUUID()}`)
  const file = openSync(path, 'ax+', 0o600)
  unlinkSync(path)
  return file
}

/** Reads a file along as it grows, line by line. */
function follow(file: number, onLine: (line: string) => void) {
  const buffer = Buffer.allocUnsafe(KEPT_BYTES)
  const decoder = new StringDecoder('utf8')
  let at = 0
  let rest = ''
  let kept = ''

  function look(): void {
    for (;;) {
      const length = readSync(file, buffer, 0, buffer.length, at)
      if (length === 0) return
      at += length
      const text = decoder.write(buffer.subarray(0, length))
      kept = (kept + text).slice(-KEPT_BYTES)
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) onLine(line)
    }
  }

  return {
    look,
    /** Returns the end of the whole output. */
    end(): string {
      look()
      if (rest !== '') onLine(rest)
      return kept
    },
  }
}

function cannotStart(program: string, error: Error): TacoError {
  return new TacoError('UNEXPECTED', `Cannot run ${program}: ${reasonOf(error)}.`, {
    hint: 'Check that the file exists and is executable.',
    cause: error,
  })
}
