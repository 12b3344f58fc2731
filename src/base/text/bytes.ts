/** A size as people say it: `148 kB`. */
export function bytes(size: number): string {
  if (size < 1000) return `${size} B`
  const units = ['kB', 'MB', 'GB', 'TB']
  let value = size / 1000
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}

const FACTORS = { b: 1, kb: 1000, mb: 1_000_000, gb: 1_000_000_000 }

/** `10MB`, `512kB`, `200000000` in bytes; undefined for anything else. */
export function parseBytes(text: string): number | undefined {
  const match = /^(\d+)\s*(b|kb|mb|gb)?$/i.exec(text)
  if (match === null) return undefined
  return Number(match[1]) * FACTORS[(match[2] ?? 'b').toLowerCase() as keyof typeof FACTORS]
}

/** The shortest text that `parseBytes` reads as exactly this size. */
export function exactBytes(size: number): string {
  if (size > 0 && size % FACTORS.gb === 0) return `${size / FACTORS.gb}GB`
  if (size > 0 && size % FACTORS.mb === 0) return `${size / FACTORS.mb}MB`
  return String(size)
}
