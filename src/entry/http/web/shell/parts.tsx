import type { Child } from 'hono/jsx'
import { withQuery } from './addresses.ts'
import { commandFor, usePageOrg } from './command-org.tsx'
import type { Look } from './status.tsx'

/** Of what scrolls by itself and may hold no link: keyboards reach it. */
export const REACHABLE = { tabindex: 0 }

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

/** A command to copy. On the page of an organization, it is about that one. Fill in with `shell` of `command-line.ts`. */
export function Command({ children }: { readonly children: string }) {
  const org = usePageOrg()
  return (
    <div class="command" data-copy>
      <span aria-hidden="true">$</span>
      <code>{commandFor(org, children)}</code>
      <CopyButton />
    </div>
  )
}

/** Code to copy, in lines. */
export function Code({ label, children }: { readonly label: string; readonly children: string }) {
  return (
    <div class="code" data-copy>
      <pre {...REACHABLE} aria-label={label}>
        <code>{children}</code>
      </pre>
      <CopyButton />
    </div>
  )
}

/** A text to copy that is no command: an address, or a token that is shown once. */
export function CopiedText({ children }: { readonly children: string }) {
  return (
    <div class="command" data-copy>
      <code>{children}</code>
      <CopyButton />
    </div>
  )
}

/** Inside of `data-copy`, which holds the text as `<code>`. */
function CopyButton() {
  return (
    <button class="button small scripted" type="button">
      Copy
    </button>
  )
}

/** A sentence for people in which commands are between backticks. */
export function WithCode({ children }: { readonly children: string }) {
  return <>{children.split('`').map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part))}</>
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

/** An address of the same page in another form. In the address, so that it can be shared. */
export interface Tab {
  readonly label: string
  readonly href: string
  readonly isCurrent: boolean
  readonly count?: number | undefined
}

interface TabsProps {
  readonly label: string
  readonly tabs: readonly Tab[]
  /** True: they are below other tabs. */
  readonly isMinor?: boolean
  readonly children?: Child
}

export function Tabs({ label, tabs, isMinor = false, children }: TabsProps) {
  return (
    <div class={isMinor ? 'tabs minor' : 'tabs'}>
      <nav aria-label={label}>
        {tabs.map((tab) => (
          <a href={tab.href} aria-current={tab.isCurrent ? 'page' : undefined}>
            {tab.label}
            {tab.count !== undefined && <span class="n num"> {tab.count.toLocaleString('en')}</span>}
          </a>
        ))}
      </nav>
      {children}
    </div>
  )
}

/** The content, and a panel of 340 px beside it; below it on a phone. */
export function Split({ side, children }: { readonly side: Child; readonly children?: Child }) {
  return (
    <div class="split">
      <div class="grid">{children}</div>
      <aside class="grid">{side}</aside>
    </div>
  )
}

/** Why something is as it is, in sentences. It goes before everything else. */
export function Why({ look, children }: { readonly look: Look; readonly children?: Child }) {
  return <div class={`why look-${look}`}>{children}</div>
}

/** What a page says where there is nothing yet, and what to do about it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: Child }) {
  return (
    <section class="card empty">
      <h2>{title}</h2>
      {children}
    </section>
  )
}

/** A path that may be longer than the line: it ends between two parts. */
export function Path({ children }: { readonly children: string }) {
  return (
    <>
      {children.split('/').map((part, at) => (
        <>
          {at > 0 && (
            <>
              /<wbr />
            </>
          )}
          {part}
        </>
      ))}
    </>
  )
}

/** The way to a unit: each part leads to the units below it. */
export function Crumbs({
  org,
  unit,
}: {
  readonly org: { name: string; base: string }
  readonly unit: string
}) {
  const parts = unit.split('/').slice(0, -1)
  return (
    <nav class="crumbs mono" aria-label="Path">
      <a href={org.base}>{org.name}</a> /{' '}
      {parts.map((part, at) => (
        <>
          <a href={withQuery(org.base, { path: parts.slice(0, at + 1).join('/') })}>{part}</a> /{' '}
        </>
      ))}
    </nav>
  )
}

const STEPS: readonly (readonly [ms: number, word: string])[] = [
  [86_400_000 * 365, 'year'],
  [86_400_000 * 30, 'month'],
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
]

/** How long ago something was; the time itself on request. */
export function Ago({ at, now }: { readonly at: number | string; readonly now: number }) {
  const iso = new Date(at).toISOString()
  const passed = now - Date.parse(iso)
  const [ms, word] = STEPS.find(([step]) => passed >= step) ?? []
  const count = ms === undefined ? 0 : Math.floor(passed / ms)
  const text = word === undefined ? 'just now' : `${count} ${word}${count === 1 ? '' : 's'} ago`
  return (
    <time class="num" datetime={iso} title={`${iso.slice(0, 19).replace('T', ' ')} UTC`}>
      {text}
    </time>
  )
}
