import type { Proof, StepView } from '../../../../rollouts/index.ts'
import { unitPath } from '../shell/addresses.ts'
import { Ago } from '../shell/parts.tsx'
import { isSettled } from './looks.ts'

export function UnitLink({ base, name }: { readonly base: string; readonly name: string }) {
  return (
    <a class="mono" href={unitPath(base, name)}>
      {name}
    </a>
  )
}

/** With commas between them; the rest is counted. */
export function UnitLinks({
  base,
  names,
  most = 4,
}: {
  readonly base: string
  readonly names: readonly string[]
  readonly most?: number
}) {
  return (
    <>
      {names.slice(0, most).map((name, at) => (
        <>
          {at > 0 && ', '}
          <UnitLink base={base} name={name} />
        </>
      ))}
      {names.length > most && ` and ${names.length - most} more`}
    </>
  )
}

export function took(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}

interface StepWordsProps {
  readonly step: StepView
  readonly state: string
  readonly base: string
  readonly now: number
  readonly byId: ReadonlyMap<string, StepView>
}

/** Why a step has its state, in sentences. */
export function StepWords({ step, state, base, now, byId }: StepWordsProps) {
  const { worker, startedAt, leaseUntil, due, reason, proof, result, attempts } = step
  switch (state) {
    case 'running':
      return (
        <>
          <b>{worker ?? 'A worker'}</b> works on it
          {startedAt !== null && (
            <>
              , started <Ago at={startedAt} now={now} />
            </>
          )}
          {attempts > 1 && `, attempt ${attempts}`}.
        </>
      )
    case 'left':
      return (
        <>
          <b>{worker ?? 'A worker'}</b> worked on it, and has not reported since{' '}
          {leaseUntil === null ? 'then' : <Ago at={leaseUntil} now={now} />}. The unit may be half applied.
          The next worker continues it.
        </>
      )
    case 'failed':
      return <>{reason ?? 'It failed.'}</>
    case 'skipped':
      return proof === null ? (
        <>By hand: {reason ?? 'no reason was given'}</>
      ) : (
        <ProofWords proof={proof} base={base} />
      )
    case 'applied':
      return result === null ? null : (
        <>
          {result.changed.length === 0 ? (
            'No output changed.'
          ) : (
            <>
              Changed <span class="mono">{result.changed.join(', ')}</span>.
            </>
          )}{' '}
          <span class="muted">Took {took(result.ms)}.</span>
        </>
      )
    case 'waiting': {
      if (due !== null) return <>Must run: {due}.</>
      const open = step.needs.flatMap((id) => byId.get(id) ?? []).filter((one) => !isSettled(one))
      if (open.length === 0) return <>The next worker decides whether it must run.</>
      return (
        <>
          Waits for <UnitLinks base={base} names={open.map(({ unit }) => unit.name)} />.
        </>
      )
    }
    default:
      return <>Only a newer version of OpenTaco knows this state.</>
  }
}

/** The proof that a step needed no apply. */
function ProofWords({ proof, base }: { readonly proof: Proof; readonly base: string }) {
  if (proof.kind === 'other') return <>Proven in a way that only a newer version of OpenTaco knows.</>
  if (proof.kind === 'fingerprint')
    return (
      <>
        Its code and inputs are those of version <span class="mono">{proof.version}</span> (fingerprint{' '}
        <span class="mono">{proof.fingerprint.slice(0, 12)}</span>).
      </>
    )
  if (proof.upstream.length === 0) return <>It uses no outputs, so nothing it reads can have changed.</>
  return (
    <>
      {proof.upstream.map(({ unit, outputs, read, now }) => (
        <p>
          It read <span class="mono">{Object.keys(outputs).join(', ') || 'the outputs'}</span> of{' '}
          <UnitLink base={base} name={unit.name} /> at commit {read};{' '}
          {read === now
            ? 'no later commit exists.'
            : `at commit ${now}, the current one, nothing of it changed.`}
          <Digests of={Object.values(outputs)} />
        </p>
      ))}
    </>
  )
}

function Digests({ of }: { readonly of: readonly string[] }) {
  if (of.length === 0) return null
  const shown = of.slice(0, 4).map((digest) => digest.slice(0, 8))
  return (
    <span class="faint mono">
      {' '}
      {shown.join(' ')}
      {of.length > 4 && ' …'}
    </span>
  )
}
