import type { Child } from 'hono/jsx'
import type { Finding } from '../../../../../health/index.ts'
import { unitPath } from '../../shell/addresses.ts'
import type { Column } from '../../shell/table.tsx'
import type { OrgView } from '../../shell/view.ts'

/** Of another organization the page knows the name only. */
export interface ShownFinding extends Finding {
  /** Null: about the bucket, or about this organization. */
  readonly otherOrg: string | null
}

const LOOKS: Readonly<Record<string, readonly [className: string, sign: string, word: string]>> = {
  ok: ['chip ok', '✓', 'fine'],
  info: ['chip', 'i', 'note'],
  warning: ['chip warn', '!', 'warning'],
  error: ['chip look-fail', '✕', 'error'],
  repaired: ['chip ok', '✓', 'repaired'],
}

export function LevelChip({ level }: { readonly level: string }) {
  const [className, sign, word] = LOOKS[level] ?? ['chip', '?', level]
  return (
    <span class={className}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  )
}

/** Pure. */
export function levelOf({ level, repaired }: Pick<Finding, 'level' | 'repaired'>): string {
  return repaired ? 'repaired' : level
}

/** A text with `commands` in it. */
export function WithCode({ children }: { readonly children: string }) {
  const parts = children.split('`')
  return <>{parts.map((part, at): Child => (at % 2 === 1 ? <code>{part}</code> : part))}</>
}

export function findingColumns(view: OrgView): readonly Column<ShownFinding>[] {
  return [
    {
      name: 'level',
      label: 'Result',
      cell: (one) => <LevelChip level={levelOf(one)} />,
      value: levelOf,
    },
    {
      name: 'unit',
      label: 'About',
      cell: ({ unit, org, otherOrg }) =>
        otherOrg !== null ? (
          <>
            {unit !== null && <span class="mono">{unit}</span>} <div class="faint">in {otherOrg}</div>
          </>
        ) : unit !== null ? (
          <a class="mono" href={unitPath(view.org.base, unit)}>
            {unit}
          </a>
        ) : (
          <span class="muted">{org === null ? 'the bucket' : 'the organization'}</span>
        ),
      value: ({ unit, otherOrg }) => unit ?? otherOrg,
    },
    {
      name: 'message',
      label: 'What was found, and what to do',
      cell: ({ message, hint, repaired }) => (
        <>
          {message}
          {hint !== null && !repaired && (
            <div class="muted">
              <WithCode>{hint}</WithCode>
            </div>
          )}
        </>
      ),
      value: ({ message }) => message,
    },
    {
      name: 'check',
      label: 'Check',
      cell: ({ check }) => <span class="faint mono">{check}</span>,
      value: ({ check }) => check,
    },
    { name: 'remedy', label: '', cell: () => '', value: ({ hint }) => hint },
  ]
}
