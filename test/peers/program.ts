import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

export interface RunningProgram {
  readonly pid: number
  /** The last lines of both outputs. */
  output(): string
  stop(): Promise<void>
}

export interface ProgramOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Ready when something accepts connections here. */
  readonly port: number
}

const running = new Set<() => void>()
process.on('exit', () => {
  for (const kill of running) kill()
})

/** Starts an outside server and waits until it accepts connections. */
export async function startProgram(options: ProgramOptions): Promise<RunningProgram> {
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const keep = (part: Buffer) => (output = (output + part.toString()).slice(-8192))
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const kill = () => child.kill('SIGKILL')
  running.add(kill)
  let ended = false
  const end = new Promise<void>((resolve) => {
    const onEnd = (error?: unknown) => {
      ended = true
      running.delete(kill)
      if (error instanceof Error) output += error.message
      resolve()
    }
    child.once('close', () => onEnd())
    child.once('error', onEnd)
  })
  const stop = async () => {
    if (!ended) child.kill('SIGTERM')
    const timer = setTimeout(kill, 5_000)
    await end
    clearTimeout(timer)
  }
  try {
    await until(async () => {
      if (ended) throw new Error(`${options.command} ended at once:\n${output}`)
      return accepts(options.port)
    }, `${options.command} to listen on port ${options.port}`)
  } catch (error) {
    await stop()
    throw error
  }
  return { pid: child.pid ?? 0, output: () => output, stop }
}

/** Looks again and again until the condition holds; throws after the deadline. */
export async function until(
  condition: () => Promise<boolean>,
  what: string,
  deadlineMs = 60_000,
): Promise<void> {
  const deadline = Date.now() + deadlineMs
  for (;;) {
    if (await condition()) return
    if (Date.now() > deadline) throw new Error(`waited ${deadlineMs / 1000} s in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const answer = (accepted: boolean) => {
      socket.destroy()
      resolve(accepted)
    }
    socket.once('connect', () => answer(true))
    socket.once('error', () => answer(false))
  })
}

export interface TemporaryFolder {
  readonly path: string
  remove(): Promise<void>
}

export async function temporaryFolder(name: string): Promise<TemporaryFolder> {
  const folder = await mkdtemp(path.join(tmpdir(), `taco-${name}-`))
  return { path: folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }) }
}
