import { sayAuthor } from '../../../../base/text/author.ts'
import { sentence } from '../../../../base/text/sentence.ts'
import type { Reason } from '../../../../graph/index.ts'
import { unitPath } from './addresses.ts'
import { Ago } from './parts.tsx'

interface ReasonsProps {
  readonly reasons: readonly Reason[]
  readonly base: string
  readonly now: number
}

/** Why a unit has its status, in sentences, with links to what caused it. For inside of `<Why>`. */
export function Reasons({ reasons, base, now }: ReasonsProps) {
  return (
    <>
      {reasons.map((reason) => (
        <ReasonText reason={reason} base={base} now={now} />
      ))}
    </>
  )
}

function ReasonText({ reason, base, now }: Omit<ReasonsProps, 'reasons'> & { readonly reason: Reason }) {
  const { on, output, change, changed, read, says } = reason
  if (on === null || output === null || change === null) return <Sentence reason={reason} base={base} />
  return (
    <>
      <p>
        <b>{output}</b> of{' '}
        <a class="mono" href={unitPath(base, on.name)}>
          {on.name}
        </a>{' '}
        {change}
      </p>
      {changed === null ? (
        <p class="muted">{sentence(says)}</p>
      ) : (
        <p class="muted">
          at commit {changed.commit}
          {changed.at !== null && (
            <>
              , <Ago at={changed.at} now={now} />
            </>
          )}
          {changed.by !== null && ` by ${sayAuthor({ by: changed.by, who: changed.who })}`}
          {read !== null && `; read at commit ${read.commit}`}
        </p>
      )}
    </>
  )
}

/** The sentence as it is, with a link where it names the unit. */
function Sentence({ reason: { says, on }, base }: { readonly reason: Reason; readonly base: string }) {
  const text = on !== null && says.startsWith(on.name) ? says : sentence(says)
  if (on === null || !text.includes(on.name)) return <p>{text}</p>
  const [before = '', ...after] = text.split(on.name)
  return (
    <p>
      {before}
      <a class="mono" href={unitPath(base, on.name)}>
        {on.name}
      </a>
      {after.join(on.name)}
    </p>
  )
}
