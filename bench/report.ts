import { mkdir, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'

export type Part =
  | 'a'
  | 'b'
  | 'c'
  | 'd'
  | 'e'
  | 'f'
  | 'g'
  | 'h'
  | 'i'
  | 'j'
  | 'k'
  | 'l'
  | 'm'
  | 'n'
  | 'o'
  | 'p'
  | 'q'

export interface Row {
  readonly part: Part
  readonly name: string
  readonly value: number
  /** `%` and `×` are ratios within one run; compare the others only with each other. */
  readonly unit: '%' | '×' | 'ms' | 'MB' | '/s' | 'requests' | 'writes' | 'bytes'
  readonly goal?: { readonly atLeast: number } | { readonly atMost: number }
  readonly note?: string
}

export function isMet({ value, goal }: Row): boolean | undefined {
  if (goal === undefined) return undefined
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost
}

export function printRow(row: Row): void {
  const met = isMet(row)
  const goal =
    row.goal === undefined ? '' : 'atLeast' in row.goal ? `≥ ${row.goal.atLeast}` : `≤ ${row.goal.atMost}`
  const verdict = met === undefined ? '' : met ? 'met' : 'MISSED'
  const columns = [
    row.part,
    row.name.padEnd(62),
    `${shown(row.value)} ${row.unit}`.padStart(16),
    goal.padStart(8),
    verdict.padEnd(6),
    row.note ?? '',
  ]
  console.log(columns.join('  ').trimEnd())
}

/** Gives back where it was written. */
export async function saveReport(
  rows: readonly Row[],
  options: Readonly<Record<string, unknown>>,
): Promise<string> {
  const folder = fileURLToPath(new URL('results/', import.meta.url))
  await mkdir(folder, { recursive: true })
  const at = new Date().toISOString()
  const path = `${folder}${at.slice(0, 19).replaceAll(':', '-')}.json`
  const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model ?? '' }
  const figures = rows.map((row) => ({ ...row, met: isMet(row) }))
  await writeFile(path, `${JSON.stringify({ at, machine, options, figures }, undefined, 2)}\n`)
  return path
}

function shown(value: number): string {
  if (Number.isInteger(value)) return String(value)
  return Math.abs(value) >= 100
    ? value.toFixed(0)
    : Math.abs(value) >= 1
      ? value.toFixed(1)
      : value.toFixed(3)
}
