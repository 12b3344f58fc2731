import { styleText } from 'node:util'
import type { GlobalFlags } from './settings.ts'
import { facts, oneLine, table } from './table.ts'
import type { Screen, World } from './wiring.ts'

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** Results go to stdout; everything said about the work goes to stderr. */
export interface Output {
  readonly asJson: boolean
  readonly debug: boolean
  print(text: string): void
  json(value: unknown): void
  table(head: readonly string[], rows: readonly (readonly string[])[]): void
  facts(rows: readonly (readonly [string, string | undefined])[]): void
  /** Said to people only: neither with --quiet nor with --json. */
  note(text: string): void
  warn(text: string): void
  trace(text: string): void
  style(style: Style, text: string): string
  /** The same for what goes to stderr. */
  styleNote(style: Style, text: string): string
}

export function openOutput(world: World, flags: GlobalFlags): Output {
  const { stdout, stderr } = world
  const asJson = flags.json === true
  const debug = flags.debug === true
  const colourOut = isColourful(stdout, world.env, flags)
  const colourErr = isColourful(stderr, world.env, flags)
  const width = stdout.isTTY === true ? stdout.columns : undefined
  const style = (on: boolean) => (kind: Style, text: string) =>
    on ? styleText(kind, text, { validateStream: false }) : text

  return {
    asJson,
    debug,
    print: (text) => void stdout.write(text),
    json: (value) =>
      void stdout.write(`${JSON.stringify(value, null, stdout.isTTY === true ? 2 : undefined)}\n`),
    table: (head, rows) =>
      void stdout.write(table(head, rows, { width, bold: (line) => style(colourOut)('bold', line) })),
    facts: (rows) => void stdout.write(facts(rows)),
    note: (text) => {
      if (flags.quiet !== true && !asJson) stderr.write(`${text}\n`)
    },
    warn: (text) => void stderr.write(`${style(colourErr)('yellow', 'warning:')} ${oneLine(text)}\n`),
    trace: (text) => {
      if (debug) stderr.write(`${style(colourErr)('dim', oneLine(text))}\n`)
    },
    style: style(colourOut),
    styleNote: style(colourErr),
  }
}

/** Only on a terminal, and not against https://no-color.org. */
export function isColourful(screen: Screen, env: World['env'], flags: GlobalFlags): boolean {
  return screen.isTTY === true && flags.color !== false && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
}
