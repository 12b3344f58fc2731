import { oneLine } from '../../../../base/text/terminal-text.ts'
import type { Session } from '../../session.ts'
import { count } from '../../terminal/format.ts'
import type { Finding } from './own-checks.ts'

const marks = {
  ok: ['ok', 'green'],
  info: ['info', 'cyan'],
  warning: ['warning', 'yellow'],
  error: ['error', 'red'],
} as const

export function showFinding({ output }: Session, one: Finding): void {
  if (output.asJson) return output.jsonLine(one)
  const [word, colour] = one.repaired
    ? (['repaired', 'green'] as const)
    : (marks[one.level as keyof typeof marks] ?? marks.info)
  const about = one.unit === null ? '' : `${one.unit}: `
  output.print(`${output.style(colour, word.padEnd(8))}  ${oneLine(about + one.message)}\n`)
  if (one.hint !== null && one.level !== 'ok' && !one.repaired) output.say(`${' '.repeat(10)}→ ${one.hint}`)
}

export function summary(
  bad: { readonly warning: number; readonly error: number; readonly repaired: number },
  fine: number,
): string {
  const parts = [
    ...(bad.error > 0 ? [count(bad.error, 'error')] : []),
    ...(bad.warning > 0 ? [count(bad.warning, 'warning')] : []),
    ...(bad.repaired > 0 ? [`${count(bad.repaired, 'thing')} put right`] : []),
  ]
  return parts.length === 0
    ? `no problems found (${count(fine, 'check')})`
    : `${parts.join(', ')}; ${count(fine, 'check')} fine`
}
