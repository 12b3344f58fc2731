import { z } from 'zod'
import type { Column } from './table.tsx'

/** Of lists that can be exported, in their query. */
export const ExportFormat = z.enum(['csv', 'json']).optional()
type Format = NonNullable<z.infer<typeof ExportFormat>>

/** The whole list as a file, with the columns of its table. `name`: of the file, without the ending. */
export function exported<T>(
  format: Format,
  name: string,
  columns: readonly Pick<Column<T>, 'name' | 'value'>[],
  items: readonly T[],
) {
  const headers = { 'content-disposition': `attachment; filename="${name}.${format}"` }
  if (format === 'csv') {
    const rows = items.map((item) => columns.map(({ value }) => csvField(value(item))).join(','))
    const text = `${[columns.map(({ name: of }) => of).join(','), ...rows].join('\r\n')}\r\n`
    return { status: 200, type: 'text/csv; charset=utf-8', text, headers } as const
  }
  const objects = items.map((item) => Object.fromEntries(columns.map((of) => [of.name, of.value(item)])))
  return { status: 200, type: 'application/json', text: JSON.stringify(objects), headers } as const
}

/** https://www.rfc-editor.org/rfc/rfc4180. A text that a spreadsheet would take for a formula gets a quote before it. */
function csvField(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return value === null ? '' : String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
