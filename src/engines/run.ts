import { spawn } from 'node:child_process'
import { TacoError, messageOf } from '../base/errors.ts'

export interface EngineRun {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Whole lines, as they come. */
  readonly onLine: (line: string) => void
  /** A group of its own, so that a signal to ours does not reach it a second time. */
  readonly ownGroup: boolean
}

export interface EngineEnd {
  readonly exitCode: number
  readonly ms: number
  /** The end of what it said. */
  readonly output: string
}

/** An engine at work. */
export interface Engine {
  readonly ended: Promise<EngineEnd>
  /** Engines end in order at the first interrupt, and at once, without unlocking, at the second. */
  signal(name: NodeJS.Signals): void
}

const KEPT_BYTES = 64 * 1024

export function startEngine({ program, args, cwd, env, onLine, ownGroup }: EngineRun): Engine {
  const started = performance.now()
  const child = spawn(program, [...args], {
    cwd,
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: ownGroup,
  })
  let kept = ''
  for (const stream of [child.stdout, child.stderr]) {
    let rest = ''
    stream.setEncoding('utf8').on('data', (text: string) => {
      kept = (kept + text).slice(-KEPT_BYTES)
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) onLine(line)
    })
    stream.on('end', () => {
      if (rest !== '') onLine(rest)
    })
  }
  const ended = new Promise<EngineEnd>((resolve, reject) => {
    child.once('error', (error) => reject(cannotStart(program, error)))
    child.once('close', (code) =>
      resolve({ exitCode: code ?? 1, ms: performance.now() - started, output: kept }),
    )
  })
  return { ended, signal: (name) => void child.kill(name) }
}

function cannotStart(program: string, error: Error): TacoError {
  return new TacoError('UNEXPECTED', `cannot run ${program}: ${messageOf(error)}`, {
    hint: 'is it a program that may be run?',
    cause: error,
  })
}
