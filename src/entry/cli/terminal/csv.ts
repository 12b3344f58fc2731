/** What spreadsheets take for a formula. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

/** RFC 4180. A cell that a spreadsheet would run as a formula begins with an apostrophe, which shows it as text. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`
}

function cellOf(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
