import type { Child } from 'hono/jsx'
import { Notice } from '../parts.tsx'

interface RaceNoticeProps {
  /** Such as `the limits`. */
  readonly what: string
  /** What is stored now. */
  readonly facts: readonly (readonly [label: string, value: Child])[]
}

/** Someone else was faster: both versions, theirs here and the person's own in the form. */
export function RaceNotice({ what, facts }: RaceNoticeProps) {
  return (
    <Notice kind="fail">
      <p>
        Someone changed {what} while you looked at this page. Nothing was saved. What you typed is in the
        form; send it again to replace what is stored now:
      </p>
      <dl class="keyed">
        {facts.map(([label, value]) => (
          <>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
    </Notice>
  )
}
