import type { Child } from 'hono/jsx'

/** The small parts that pages are made of. */
export function Card({ title, children }: { readonly title?: string; readonly children?: Child }) {
  return (
    <section class="card">
      {title !== undefined && <h2>{title}</h2>}
      {children}
    </section>
  )
}

/** `ok`: something worked. `warn`: something to know. `fail`: something did not work; read out at once. */
export function Notice({
  kind,
  children,
}: {
  readonly kind: 'ok' | 'warn' | 'fail'
  readonly children?: Child
}) {
  return (
    <div class={`notice ${kind}`} role={kind === 'fail' ? 'alert' : 'status'}>
      {children}
    </div>
  )
}

/** A command to copy. */
export function Command({ children }: { readonly children: string }) {
  return (
    <div class="command" data-copy>
      <span aria-hidden="true">$</span>
      <code>{children}</code>
    </div>
  )
}

/** A text to copy that is shown once, whole. */
export function Secret({ children }: { readonly children: string }) {
  return (
    <div class="command" data-copy>
      <code>{children}</code>
    </div>
  )
}

interface FieldProps {
  readonly id: string
  readonly label: string
  readonly hint?: string
  readonly error?: string | undefined
  readonly children?: Child
}

/** A label, its control, and what belongs to it. The control refers to them by `describedBy(id)`. */
export function Field({ id, label, hint, error, children }: FieldProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {hint !== undefined && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {error !== undefined && (
        <span class="error" id={`${id}-error`}>
          {error}
        </span>
      )}
    </div>
  )
}

/** Ties a control to its hint and its error, for those who cannot see that they belong together. */
export function describedBy(id: string, faults: Readonly<Record<string, string>>) {
  const isWrong = faults[id] !== undefined
  return {
    'aria-describedby': isWrong ? `${id}-hint ${id}-error` : `${id}-hint`,
    ...(isWrong ? { 'aria-invalid': 'true' as const } : {}),
  }
}

/** A time, in UTC: the server does not know where the reader is. */
export function Time({ at }: { readonly at: number | string }) {
  const iso = new Date(at).toISOString()
  return (
    <time class="nowrap num" datetime={iso}>
      {iso.slice(0, 16).replace('T', ' ')} UTC
    </time>
  )
}
