import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { atEnd } from './at-end.ts'

export interface ChildOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly deadlineMs?: number
}

export interface Finished {
  /** Undefined when a signal ended it. */
  readonly code: number | undefined
  readonly stdout: string
  readonly stderr: string
  /** Both, in order of arrival. */
  readonly output: string
}

/** A program that runs beside the test. */
export interface Child {
  readonly pid: number
  readonly finished: Promise<Finished>
  /** What it has printed so far. */
  output(): string
  signal(name: NodeJS.Signals): void
  isRunning(): boolean
}

/** Starts a program with nothing of the caller's environment but where to find programs. */
export function startChild(program: string, args: readonly string[], options: ChildOptions = {}): Child {
  const child = spawn(program, [...args], {
    cwd: options.cwd,
    env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    // Its own group, so that a signal also reaches what it started.
    detached: true,
  })
  // A program that ends without reading its input is not a fault of the test.
  child.stdin.on('error', () => undefined)
  child.stdin.end(options.input ?? '')
  const printed = { stdout: '', stderr: '', output: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed.stdout += text
    printed.output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed.stderr += text
    printed.output += text
  })
  const late = setTimeout(() => signalGroup(child, 'SIGKILL'), options.deadlineMs ?? 120_000)
  const finished = once(child, 'close').then(([code]): Finished => {
    clearTimeout(late)
    return { code: typeof code === 'number' ? code : undefined, ...printed }
  })
  // A caller that does not wait for the end learns of a failed start when it does.
  finished.catch(() => clearTimeout(late))
  return {
    pid: child.pid ?? 0,
    finished,
    output: () => printed.output,
    signal: (name) => signalGroup(child, name),
    isRunning: () => child.exitCode === null && child.signalCode === null,
  }
}

/** Nothing that a test started outlives it, least of all when the test failed half-way. */
export function endedWithTest(child: Child): Child {
  atEnd(async () => {
    child.signal('SIGKILL')
    await Promise.allSettled([child.finished])
  })
  return child
}

export function runChild(
  program: string,
  args: readonly string[],
  options?: ChildOptions,
): Promise<Finished> {
  return startChild(program, args, options).finished
}

function signalGroup(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, name)
  } catch {
    child.kill(name)
  }
}
