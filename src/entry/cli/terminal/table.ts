import { oneLine } from '../../../base/text/terminal-text.ts'

/** Aligned columns for people. `width` cuts lines to a terminal; undefined cuts nothing. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  options: { readonly width?: number | undefined; readonly bold?: (text: string) => string } = {},
): string {
  const clean = rows.map((row) => row.map(oneLine))
  const widths = head.map((title, i) =>
    Math.max(title.length, ...clean.map((row) => displayWidth(row[i] ?? ''))),
  )
  const lines = [head, ...clean].map((row) => {
    const cells = row.map((cell, i) =>
      i === row.length - 1 ? cell : cell + ' '.repeat((widths[i] ?? 0) - displayWidth(cell)),
    )
    return cut(cells.join('  '), options.width).trimEnd()
  })
  if (options.bold !== undefined && lines[0] !== undefined) lines[0] = options.bold(lines[0])
  return lines.map((line) => `${line}\n`).join('')
}

/** `name: value` lines, aligned. */
export function facts(rows: readonly (readonly [string, string | undefined])[], width?: number): string {
  const shown = rows.filter((row): row is readonly [string, string] => row[1] !== undefined)
  const widest = Math.max(0, ...shown.map(([name]) => name.length))
  return shown
    .map(([name, value]) => `${cut(`${`${name}:`.padEnd(widest + 2)}${oneLine(value)}`, width)}\n`)
    .join('')
}

function cut(line: string, width: number | undefined): string {
  if (width === undefined || displayWidth(line) <= width) return line
  let cutLine = ''
  let used = 0
  for (const sign of line) {
    used += signWidth(sign)
    if (used > width - 1) break
    cutLine += sign
  }
  return `${cutLine}…`
}

function displayWidth(text: string): number {
  let width = 0
  for (const sign of text) width += signWidth(sign)
  return width
}

/** East Asian wide signs and emoji take two columns, combining marks none. */
function signWidth(sign: string): number {
  const code = sign.codePointAt(0) ?? 0
  if (code < 0x300) return 1
  if (/\p{Mn}/u.test(sign)) return 0
  return (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd)
    ? 2
    : 1
}
