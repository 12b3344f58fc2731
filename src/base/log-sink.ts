import type { Clock } from './clock.ts'
import { systemClock } from './clock.ts'
import type { Log } from './log.ts'
import { plainLines } from './text/terminal-text.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export interface LogSinkOptions {
  readonly level: LogLevel
  /** `json`: one object per line, for machines. `text`: for people at a terminal. */
  readonly format: 'json' | 'text'
  readonly write: (text: string) => void
  /** Whether errors are logged with their stack: for operators of a server, not for users of a command. */
  readonly hasStacks?: boolean
  readonly clock?: Clock
  /** In every line. */
  readonly always?: Fields
}

export interface LogSink extends Log {
  /** Writes out what is still held back: lines are written together, because every write is a call to the system. */
  flush(): void
}

type Fields = Readonly<Record<string, unknown>>

const HELD_LENGTH = 16 * 1024
const HELD_MS = 50

const SECRET = /token|secret|passw|authorization|cookie|credential|private|digestkey/i

export function createLog(options: LogSinkOptions): LogSink {
  const clock = options.clock ?? systemClock
  const from = LOG_LEVELS.indexOf(options.level)
  const render = options.format === 'json' ? jsonLine : textLine
  const printable = createPrintable(options.hasStacks ?? true)
  const timeText = createTimeText()
  let held = ''
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const text = held
    held = ''
    if (text !== '') options.write(text)
  }

  function at(level: LogLevel): (message: string, fields?: Fields) => void {
    if (LOG_LEVELS.indexOf(level) < from) return () => {}
    const isUrgent = level === 'warn' || level === 'error'
    return (message, given) => {
      const fields = options.always === undefined ? given : { ...given, ...options.always }
      held += render({ time: timeText(clock.now()), level, message, fields, printable })
      if (isUrgent || held.length >= HELD_LENGTH) flush()
      else timer ??= setTimeout(flush, HELD_MS).unref()
    }
  }

  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), flush }
}

/** Formatting a time costs as much as the rest of a line, and lines come in bursts. */
function createTimeText(): (now: number) => string {
  let second = Number.NaN
  let text = ''
  return (now) => {
    const ms = now % 1000
    if (now - ms !== second) {
      second = now - ms
      text = new Date(second).toISOString().slice(0, -4)
    }
    return `${text}${String(Math.floor(ms)).padStart(3, '0')}Z`
  }
}

interface Line {
  readonly time: string
  readonly level: LogLevel
  readonly message: string
  readonly fields: Fields | undefined
  readonly printable: Printable
}

function jsonLine({ time, level, message, fields, printable }: Line): string {
  const line: Record<string, unknown> = { time, level, message }
  let isFlat = true
  for (const name in fields) {
    const value = fields[name]
    if (typeof value === 'object' && value !== null) isFlat = false
    line[name] = typeof value === 'object' ? value : printable(name, value)
  }
  // A replacer is called for every field and costs several times the rest.
  return `${isFlat ? JSON.stringify(line) : JSON.stringify(line, printable)}\n`
}

function textLine({ time, level, message, fields, printable }: Line): string {
  let line = `${time.slice(11, 23)} ${level.toUpperCase().padEnd(5)} ${message}`
  for (const [name, value] of Object.entries(fields ?? {})) {
    const shown = printable(name, value)
    if (shown === undefined) continue
    line += ` ${name}=${typeof shown === 'string' && /^[^\s"=]+$/.test(shown) ? shown : JSON.stringify(shown, printable)}`
  }
  return `${plainLines(line, { hasColours: false })}\n`
}

const secretNames = new Map<string, boolean>()

/** Names of fields are few; those of foreign objects may not be, so the memory of them is bounded. */
function isSecret(name: string): boolean {
  let known = secretNames.get(name)
  if (known === undefined) {
    known = SECRET.test(name)
    if (secretNames.size < 1000) secretNames.set(name, known)
  }
  return known
}

type Printable = (name: string, value: unknown) => unknown

/** Masks by name, at any depth, and makes errors readable. */
function createPrintable(hasStacks: boolean): Printable {
  return (name, value) => {
    if (isSecret(name) && value !== undefined && value !== null) return '[hidden]'
    if (value instanceof Error) {
      const { cause } = value
      return {
        ...('code' in value ? { code: value.code } : {}),
        message: value.message,
        ...(hasStacks ? { stack: value.stack } : {}),
        ...(cause === undefined ? {} : { cause }),
      }
    }
    return typeof value === 'bigint' ? String(value) : value
  }
}
