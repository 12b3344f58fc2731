import type { OrgView as Organization } from '../../../../state/index.ts'
import { Confirm } from '../shell/confirm.tsx'
import type { Faults } from '../shell/faults.ts'
import { Form } from '../shell/layout.tsx'
import { Card } from '../shell/parts.tsx'
import type { OrgView } from '../shell/view.ts'
import { settingsPath } from './frame.tsx'

interface DeleteCardProps {
  readonly view: OrgView
  readonly now: Organization
  readonly faults: Faults
  /** True: it was refused because units are locked. */
  readonly isLocked: boolean
}

export function DeleteCard({ view, now, faults, isLocked }: DeleteCardProps) {
  return (
    <Card title="Delete the organization">
      <p class="muted">
        People and engines can no longer use its units. Nothing is removed from the bucket, and{' '}
        <code>{`taco org restore ${now.name}`}</code> brings everything back.
      </p>
      <Confirm
        view={view}
        action={settingsPath(view, 'delete')}
        label={`Delete ${now.name}`}
        word={now.name}
        typed={isLocked ? now.name : ''}
        faults={faults}
      >
        <input type="hidden" name="etag" value={now.etag} />
        {isLocked && (
          <label class="check">
            <input type="checkbox" name="force" value="on" /> Delete it although units are locked. Those who
            hold the locks can still write and unlock.
          </label>
        )}
      </Confirm>
    </Card>
  )
}

/** Of an organization that is deleted already. */
export function RestoreCard({ view }: { readonly view: OrgView }) {
  return (
    <Card title="Restore the organization">
      <p class="muted">It comes back as it was, with its units, states, history and roles.</p>
      <Form view={view} action={settingsPath(view, 'restore')}>
        <button class="button primary" type="submit">
          Restore
        </button>
      </Form>
    </Card>
  )
}
