import { changedText } from './changed-text.ts'
import type { OutputValue } from './output-values.ts'

/** What is the same at both ends is cut to this. */
const MOST_AROUND = 120
const MOST_CHANGED = 800

interface ChangedValueProps {
  readonly before: OutputValue
  readonly after: OutputValue
}

/** A value before and now, with what differs marked. Sensitive values are masked. */
export function ChangedValue({ before, after }: ChangedValueProps) {
  if (before.kind !== 'value' || after.kind !== 'value')
    return (
      <span class="changed-value">
        <ValueText of={before} kind="del" />
        <span class="muted"> → </span>
        <ValueText of={after} kind="ins" />
      </span>
    )
  const { start, before: old, after: now, end } = changedText(before.json, after.json)
  return (
    <code class="changed-value">
      {start.length > MOST_AROUND ? `…${start.slice(-MOST_AROUND)}` : start}
      {old !== '' && <del>{cut(old)}</del>}
      {now !== '' && <ins>{cut(now)}</ins>}
      {end.length > MOST_AROUND ? `${end.slice(0, MOST_AROUND)}…` : end}
    </code>
  )
}

const WORDS = { sensitive: 'sensitive', none: 'did not exist', unknown: 'no longer known' } as const

/** One side alone. */
export function ValueText({ of, kind }: { readonly of: OutputValue; readonly kind?: 'del' | 'ins' }) {
  if (of.kind === 'value') {
    const text = <code>{cut(of.json)}</code>
    return kind === 'del' ? <del>{text}</del> : kind === 'ins' ? <ins>{text}</ins> : text
  }
  return (
    <span class="muted">
      {of.kind === 'sensitive' && <span aria-hidden="true">•••••••• </span>}
      {kind === 'ins' && of.kind === 'none' ? 'does not exist' : WORDS[of.kind]}
    </span>
  )
}

function cut(text: string): string {
  return text.length > MOST_CHANGED ? `${text.slice(0, MOST_CHANGED)}…` : text
}
