import { sayAuthor } from '../../../../../base/text/author.ts'
import type { LockView } from '../../../../../state/index.ts'
import { unitPath } from '../../shell/addresses.ts'
import { shell } from '../../shell/command-line.ts'
import { ConfirmField } from '../../shell/confirm.tsx'
import type { Faults } from '../../shell/faults.ts'
import { TextField } from '../../shell/form/text-field.tsx'
import { Form } from '../../shell/layout.tsx'
import { Ago, Card, Command, Notice, Split, Time } from '../../shell/parts.tsx'
import { UnitFrame, type UnitPage } from '../frame.tsx'

export interface LockPageProps {
  readonly page: UnitPage
  /** As it is now. Null: free. */
  readonly lock: LockView | null
  /** The person took it, on a page. */
  readonly isOwn: boolean
  /** The rollout that works on the unit. */
  readonly rollout: string | undefined
  readonly now: number
  readonly input?: { readonly reason?: string; readonly confirm?: string }
  readonly faults?: Faults
  /** What went wrong, beside what is wrong with a field. */
  readonly notice?: string
}

export function LockPage(props: LockPageProps) {
  const { page, lock, notice } = props
  const { view, unit } = page
  return (
    <UnitFrame of={page} tab="lock" title="Lock">
      <Split
        side={
          <>
            {lock !== null && <Command>{shell`taco unlock ${unit.name} --force`}</Command>}
            <Command>{shell`taco lock ${unit.name}`}</Command>
          </>
        }
      >
        {notice !== undefined && (
          <Notice kind="fail">
            <p>{notice}</p>
          </Notice>
        )}
        {lock === null ? (
          <Card title="Lock">
            <p>The unit is not locked. Engines can write its state.</p>
            {view.may('lock', unit) && <LockForm {...props} />}
          </Card>
        ) : (
          <Held {...props} lock={lock} />
        )}
      </Split>
    </UnitFrame>
  )
}

function LockForm({ page: { view, unit }, input = {}, faults = {} }: LockPageProps) {
  return (
    <Form view={view} action={unitPath(view.org.base, unit.name, 'lock')} class="form more">
      <TextField
        id="reason"
        label="Reason"
        hint="Shown to everyone who wants the lock. No engine can write the state until you unlock the unit."
        value={input.reason ?? ''}
        faults={faults}
      />
      <Buttons label="Lock this unit" kind="primary" back={unitPath(view.org.base, unit.name)} />
    </Form>
  )
}

type HeldProps = LockPageProps & { readonly lock: LockView }

function Held(props: HeldProps) {
  const { page, lock, isOwn, rollout, now } = props
  const { view, unit } = page
  const mayUnlock = view.may('lock', unit) && (isOwn || view.may('unlock-others', unit))
  return (
    <>
      <Card title="Locked">
        <LockDetails lock={lock} now={now} />
        {rollout !== undefined && (
          <p class="more">
            The rollout{' '}
            <a class="mono" href={`${view.org.base}/rollouts/${rollout}`}>
              {rollout}
            </a>{' '}
            is working on the unit.
          </p>
        )}
      </Card>
      {mayUnlock ? (
        <UnlockCard {...props} />
      ) : (
        <Card title="Unlock">
          <p class="muted">
            Only the holder can unlock the unit, or someone with the right <code>unlock-others</code>.
          </p>
        </Card>
      )}
    </>
  )
}

/** Who holds a lock, since when, from where, and what for. */
export function LockDetails({ lock, now }: { readonly lock: LockView; readonly now: number }) {
  const { Who: place, Operation: operation, Version: version } = lock.info
  const rows: readonly (readonly [string, string])[] = [
    ['Held by', lock.outside ? 'a program that does not use OpenTaco' : sayAuthor(lock)],
    // The pages and the command line give the holder as the place.
    ['Where', place === lock.by ? '' : place],
    ['Doing', [operation, version === '' ? '' : `with version ${version}`].filter(Boolean).join(' ')],
    ['Reason', lock.reason ?? ''],
  ]
  return (
    <dl class="keyed">
      {rows
        .filter(([, text]) => text !== '')
        .map(([label, text]) => (
          <>
            <dt>{label}</dt>
            <dd>{text}</dd>
          </>
        ))}
      <dt>Since</dt>
      <dd>
        <Time at={lock.at} /> (<Ago at={lock.at} now={now} />)
      </dd>
      {lock.lastSeenAt !== null && (
        <>
          <dt>Last request</dt>
          <dd>
            <Ago at={lock.lastSeenAt} now={now} />
          </dd>
        </>
      )}
      <dt>Expires</dt>
      <dd>{lock.leaseUntil === null ? 'never' : <Time at={lock.leaseUntil} />}</dd>
      <dt>Id</dt>
      <dd class="mono">{lock.id}</dd>
    </dl>
  )
}

function UnlockCard({ page: { view, unit }, lock, isOwn, input = {}, faults = {} }: HeldProps) {
  return (
    <Card title={isOwn ? 'Unlock' : 'Break the lock'}>
      {isOwn ? (
        <p>You locked the unit on this page. Unlock it so that engines can write its state again.</p>
      ) : (
        <>
          <p>
            Break the lock only if its holder has ended, for example because the program crashed or lost its
            connection. Ask the holder first.
          </p>
          <p>
            If the holder is still working, its next write is refused, and what it creates from then on is
            missing in the state. Breaking the lock is recorded.
          </p>
          {lock.outside && (
            <p>
              A program wrote this lock directly to the bucket. OpenTaco cannot tell whether it still runs.
            </p>
          )}
        </>
      )}
      <Form view={view} action={unitPath(view.org.base, unit.name, 'unlock')} class="form more">
        <input type="hidden" name="id" value={lock.id} />
        {!isOwn && <ConfirmField word={unit.name} typed={input.confirm ?? ''} faults={faults} />}
        <Buttons
          label={isOwn ? 'Unlock this unit' : 'Break the lock'}
          kind={isOwn ? 'primary' : 'danger'}
          back={unitPath(view.org.base, unit.name)}
        />
      </Form>
    </Card>
  )
}

function Buttons({
  label,
  kind,
  back,
}: {
  readonly label: string
  readonly kind: string
  readonly back: string
}) {
  return (
    <div class="bar">
      <button class={`button ${kind}`} type="submit">
        {label}
      </button>
      <a class="button" href={back}>
        Cancel
      </a>
    </div>
  )
}
