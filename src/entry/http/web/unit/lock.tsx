import { type Caller, authorOf } from '../../../../access/index.ts'
import { sayAuthor } from '../../../../base/text/author.ts'
import type { LockView } from '../../../../state/index.ts'
import { unitPath } from '../shell/addresses.ts'
import { Form } from '../shell/layout.tsx'
import { Ago, Card, Field } from '../shell/parts.tsx'
import type { UnitPage } from './frame.tsx'

/** What the ids of locks begin with that people take on a page. */
export const PAGE_LOCK = 'page'

/** Whether the caller took this lock, on a page. Those of a person's commands are not the page's to release. */
export function isOwnLock({ id, by, outside }: LockView, caller: Caller): boolean {
  return !outside && id.startsWith(`${PAGE_LOCK}-`) && by === authorOf(caller).by
}

interface LockCardProps {
  readonly of: UnitPage
  readonly caller: Caller
  readonly now: number
}

/** Who holds the lock, since when, and how to take it away. */
export function LockCard({ of: { view, unit }, caller, now }: LockCardProps) {
  const { lock } = unit
  const path = (form: string) => unitPath(view.org.base, unit.name, form)
  if (lock === null)
    return (
      <Card title="Lock">
        <p>
          Free. <span class="muted">Engines can write the state.</span>
        </p>
        {view.may('lock', unit) && (
          <details class="more">
            <summary>Lock</summary>
            <Form view={view} action={path('lock')} class="form">
              <Field id="reason" label="Reason" hint="No engine can write the state until it is unlocked.">
                <input
                  id="reason"
                  type="text"
                  name="reason"
                  maxlength={1000}
                  autocomplete="off"
                  aria-describedby="reason-hint"
                />
              </Field>
              <button class="button" type="submit">
                Lock this unit
              </button>
            </Form>
          </details>
        )}
      </Card>
    )
  const { Operation: operation } = lock.info
  const isOwn = isOwnLock(lock, caller)
  return (
    <Card title="Lock">
      <dl class="keyed">
        <dt>Held by</dt>
        <dd>{lock.outside ? lock.info.Who || 'a program outside OpenTaco' : sayAuthor(lock)}</dd>
        <dt>Since</dt>
        <dd>
          <Ago at={lock.at} now={now} />
        </dd>
        {operation !== '' && (
          <>
            <dt>For</dt>
            <dd class="mono">{operation}</dd>
          </>
        )}
        {lock.reason !== null && lock.reason !== '' && (
          <>
            <dt>Reason</dt>
            <dd>{lock.reason}</dd>
          </>
        )}
        {lock.leaseUntil !== null && (
          <>
            <dt>Ends by itself</dt>
            <dd class="num">{lock.leaseUntil.slice(0, 16).replace('T', ' ')} UTC</dd>
          </>
        )}
        <dt>Id</dt>
        <dd class="mono">{lock.id}</dd>
      </dl>
      {view.may('lock', unit) && (isOwn || view.may('unlock-others', unit)) && (
        <details class="more">
          <summary>Unlock</summary>
          <Form view={view} action={path('unlock')} class="form">
            <input type="hidden" name="id" value={lock.id} />
            {!isOwn && (
              <p>
                If the holder is still at work, its next write fails, and what it changed may be missing in
                the state.
              </p>
            )}
            <label class="check">
              <input type="checkbox" name="confirm" value="yes" required />
              {isOwn ? 'Let engines write the state again' : 'The holder has ended'}
            </label>
            <button class="button danger" type="submit">
              Unlock this unit
            </button>
          </Form>
        </details>
      )}
    </Card>
  )
}
