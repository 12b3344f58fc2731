import { styleText } from 'node:util'
import type { GlobalFlags } from '../config/settings.ts'
import { oneLine, plainJson, plainLines } from '../../../base/text/terminal-text.ts'
import { facts, table } from './table.ts'
import type { Screen, World } from '../world.ts'

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** Results go to stdout; everything said about the work goes to stderr. */
export interface Output {
  readonly asJson: boolean
  readonly debug: boolean
  /** For people: lines without anything in them that a terminal would obey, but for our own colours. */
  print(text: string): void
  /** For programs: byte for byte. */
  data(text: string): void
  /** One line, without anything in it that a terminal would obey. */
  say(text: string): void
  json(value: unknown): void
  /** One of many values, each on its own line. */
  jsonLine(value: unknown): void
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
  const asJson = flags.json === true
  const debug = flags.debug === true
  const paint = (screen: Screen, kind: Style, text: string) =>
    isColourful(screen, world.env, flags) ? styleText(kind, text, { validateStream: false }) : text
  // Streams are taken from the world when they are written to: building one takes time.
  const style: Output['style'] = (kind, text) => paint(world.stdout, kind, text)
  const styleNote: Output['styleNote'] = (kind, text) => paint(world.stderr, kind, text)

  return {
    asJson,
    debug,
    print: (text) =>
      void world.stdout.write(plainLines(text, { hasColours: isColourful(world.stdout, world.env, flags) })),
    data: (text) => void world.stdout.write(text),
    say: (text) => void world.stdout.write(`${oneLine(text)}\n`),
    json(value) {
      const text = JSON.stringify(value, null, world.stdout.isTTY === true ? 2 : undefined)
      world.stdout.write(`${plainJson(text)}\n`)
    },
    jsonLine: (value) => void world.stdout.write(`${plainJson(JSON.stringify(value))}\n`),
    table(head, rows) {
      const width = world.stdout.isTTY === true ? world.stdout.columns : undefined
      world.stdout.write(table(head, rows, { width, bold: (line) => style('bold', line) }))
    },
    facts: (rows) => void world.stdout.write(facts(rows)),
    note(text) {
      if (flags.quiet !== true && !asJson) world.stderr.write(`${plainLines(text, { hasColours: false })}\n`)
    },
    warn: (text) => void world.stderr.write(`${styleNote('yellow', 'warning:')} ${oneLine(text)}\n`),
    trace(text) {
      if (debug) world.stderr.write(`${styleNote('dim', oneLine(text))}\n`)
    },
    style,
    styleNote,
  }
}

/** Only on a terminal, and not against https://no-color.org. */
export function isColourful(screen: Screen, env: World['env'], flags: GlobalFlags): boolean {
  return screen.isTTY === true && flags.color !== false && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
}
