import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { sha256Hex } from '../../base/sha256-hex.ts'

/** Whether a process still lives of which only its number was written down. */

export interface Process {
  readonly isRunning: boolean
  /** The number may belong to another process by now; the time of its start shows that. */
  readonly began: string
}

/**
 * Undefined where the machine does not say more than that the number is in use. Not every system has `/proc`; asking
 * `ps` takes longer.
 */
export function processOf(pid: number, proc = '/proc'): Process | undefined {
  return existsSync(`${proc}/self/stat`) ? fromProc(pid, proc) : fromPs(pid)
}

/** Where others' processes are hidden, as by `hidepid`, or `ps` knows other options, nothing is said of living ones. */
function unseen(pid: number): Process | undefined {
  return isAlive(pid) ? undefined : { isRunning: false, began: '' }
}

function fromProc(pid: number, proc: string): Process | undefined {
  try {
    const said = readFileSync(`${proc}/${pid}/stat`, 'utf8')
    const [state = '', ...rest] = said.slice(said.lastIndexOf(')') + 2).split(' ')
    return { isRunning: !'ZX'.includes(state), began: rest[18] ?? '' }
  } catch {
    return unseen(pid)
  }
}

function fromPs(pid: number): Process | undefined {
  const args = ['-o', 'stat=', '-o', 'lstart=', '-p', `${pid}`]
  const { error, stdout } = spawnSync('/bin/ps', args, { encoding: 'utf8', env: { LC_ALL: 'C' } })
  if (error !== undefined) return undefined
  const [state = '', ...began] = stdout.trim().split(/\s+/)
  return state === '' ? unseen(pid) : { isRunning: !state.startsWith('Z'), began: began.join(' ') }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

let known: string | undefined

/** Where the numbers of processes mean what they mean here: this machine since its start, this container. */
export function placeOfProcesses(): string {
  if (known === undefined) {
    const boot = quietly(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
    const space = quietly(() => readlinkSync('/proc/self/ns/pid'))
    const all = JSON.stringify([hostname(), boot, space])
    known = sha256Hex(all).slice(0, 12)
  }
  return known
}

function quietly(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
