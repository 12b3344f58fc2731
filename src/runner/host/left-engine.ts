import { existsSync, readFileSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { sha256Hex } from '../../base/sha256-hex.ts'
import { TacoError, messageOf } from '../../base/errors.ts'
import { writePrivately } from '../../base/host/private-file.ts'
import { isAlive, placeOfProcesses, processOf } from './process-life.ts'

/**
 * What a killed worker left in the folder of a unit: an engine that is still at work, or a state that could not be
 * stored. The next worker would otherwise create everything a second time.
 */

/** Where both engines put what their backend did not take. */
const UNSTORED = 'errored.tfstate'

type Env = Readonly<Record<string, string | undefined>>

/** Where the engine keeps what it needs to work in the folder; it makes it when it is initialized. */
export function dataDir(folder: string, env: Env): string {
  return resolve(folder, env['TF_DATA_DIR'] || '.terraform')
}

/** Several units may share one folder for data, and each has its own engine. */
function notePath(folder: string, env: Env): string {
  const data = dataDir(folder, env)
  const whose = sha256Hex(relative(data, folder)).slice(0, 16)
  return join(data, `taco-engine-${whose}.json`)
}

export interface EngineNote {
  /** Why it could not be written. */
  readonly missing?: string
  forget(): void
}

/** Writes down which process applies the unit. Never throws: the engine is at work, and must be waited for. */
export function noteEngine(folder: string, env: Env, pid: number | undefined): EngineNote | undefined {
  const path = notePath(folder, env)
  // Without the engine's own folder it has not come far.
  if (pid === undefined || !existsSync(dataDir(folder, env))) return undefined
  let written: string | undefined
  const forget = () => {
    try {
      // A worker that was suspended may come to it late: by then the note may be about the engine of the next one.
      if (readFileSync(path, 'utf8') === written) rmSync(path, { force: true })
    } catch {
      // The process it names has ended, which every reader sees.
    }
  }
  try {
    const where = { place: placeOfProcesses(), host: hostname() }
    written = JSON.stringify({ pid, began: processOf(pid)?.began ?? null, ...where })
    writePrivately(path, written)
    return { forget }
  } catch (error) {
    return { forget, missing: messageOf(error) }
  }
}

export type EngineLeft =
  | { readonly kind: 'running'; readonly pid: number }
  /** The number is in use, and the machine does not say by whom. */
  | { readonly kind: 'perhaps'; readonly pid: number; readonly note: string }
  /** Started on another machine or in another container: invisible from here. */
  | { readonly kind: 'elsewhere'; readonly pid: number; readonly host: string }

/** The process that still applies the unit, if there is one, as far as visible from here. */
export function engineLeft(folder: string, env: Env): EngineLeft | undefined {
  const path = notePath(folder, env)
  if (!existsSync(path)) return undefined
  try {
    const { pid, began, place, host } = noteIn(readFileSync(path, 'utf8'))
    const found = processOf(pid)
    // A machine may have got another name, but hardly a process of the same number that began at the same time.
    if (found?.isRunning === true && began === found.began) return { kind: 'running', pid }
    if (place !== null && place !== placeOfProcesses())
      return { kind: 'elsewhere', pid, host: host ?? 'another machine' }
    if (found !== undefined && (began !== null || !found.isRunning)) return undefined
    return isAlive(pid) ? { kind: 'perhaps', pid, note: path } : undefined
  } catch {
    // Half a note: its writer died before the engine had read its configuration.
    return undefined
  }
}

/** By hand: a schema library takes longer to load than a command may take. */
function noteIn(json: string) {
  const { pid, began, place, host } = JSON.parse(json) as Readonly<Record<string, unknown>>
  if (typeof pid !== 'number') throw new Error('the note names no process')
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  return { pid, began: text(began), place: text(place), host: text(host) }
}

/**
 * A state that an engine could not store. The engine itself must push it: it knows the lineage, which is not in the
 * file of a first apply, and how to encrypt. `shown` is the folder as the user would write it.
 */
export function unstored(unit: string, shown: string, engine: string): TacoError {
  const into = shown === '' ? '' : `cd ${shown} && `
  const push = `${into}taco exec ${unit} -- ${engine} state push -lock-timeout=2m ${UNSTORED} && rm ${UNSTORED}`
  return new TacoError(
    'CONFLICT',
    `An apply of ${unit} could not store its state, which is in ${join(shown, UNSTORED)}.`,
    { hint: `Another apply would create everything in it again. Store it first: \`${push}\`.` },
  )
}

export function hasUnstored(folder: string): boolean {
  return existsSync(join(folder, UNSTORED))
}
