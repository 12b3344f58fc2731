import { bytes } from '../../../../base/text/bytes.ts'
import { sayRetention } from '../../../../base/text/retention.ts'
import type { GcReport, OrgView as Organization, RemovedOfUnit } from '../../../../state/index.ts'
import { unitPath } from '../shell/addresses.ts'
import { Confirm } from '../shell/confirm.tsx'
import type { Faults } from '../shell/faults.ts'
import { RaceNotice } from '../shell/form/race-notice.tsx'
import { Form } from '../shell/layout.tsx'
import { Card, Command, Notice, Split } from '../shell/parts.tsx'
import { type Column, DataTable } from '../shell/table.tsx'
import type { OrgView } from '../shell/view.ts'
import { SettingsFrame, settingsPath } from './frame.tsx'
import type { RetentionInput } from './retention-form.ts'
import { SentenceField } from './sentence-field.tsx'

type RemovedUnit = RemovedOfUnit & { readonly name: string }

export interface Preview {
  readonly report: GcReport
  /** Those of which most would go. */
  readonly units: readonly RemovedUnit[]
  /** How many more there are. */
  readonly more: number
}

interface RetentionPageProps {
  readonly view: OrgView
  /** As it is stored. */
  readonly now: Organization
  readonly input: RetentionInput
  readonly etag: string
  readonly preview: Preview | undefined
  readonly faults: Faults
  readonly isRace: boolean
}

export function RetentionPage(props: RetentionPageProps) {
  const { view, now, preview, isRace } = props
  const mayChange = view.may('org:admin')
  return (
    <SettingsFrame view={view} tab="retention">
      <Split
        side={
          <>
            <Card title="How it works">
              <p>
                Servers remove what is too old every few hours. The current state of a unit always stays, and
                so does a version that a rollback refers to.
              </p>
              <p class="muted">
                A unit can have a rule of its own in its settings; then this one does not apply to it.
              </p>
              {now.limits.versions !== undefined && (
                <p class="muted">
                  The limit of {now.limits.versions} versions of a unit applies as well, whatever the rule
                  says.
                </p>
              )}
            </Card>
            {mayChange && <ApplyNow {...props} />}
            <Command>{commandOf(now)}</Command>
          </>
        }
      >
        {isRace && <RaceNotice what="the organization" facts={ruleFacts(now)} />}
        {mayChange ? (
          <RetentionForm {...props} />
        ) : (
          <Card title="What is kept">
            <dl class="keyed">
              {ruleFacts(now).map(([label, value]) => (
                <>
                  <dt>{label}</dt>
                  <dd>{value}</dd>
                </>
              ))}
            </dl>
          </Card>
        )}
        {preview !== undefined && <PreviewCard view={view} preview={preview} />}
      </Split>
    </SettingsFrame>
  )
}

function RetentionForm({ view, input, etag, faults }: RetentionPageProps) {
  return (
    <Card title="What is kept">
      <Form view={view} action={settingsPath(view, 'retention')} class="form">
        <input type="hidden" name="etag" value={etag} />
        <fieldset class="sentences">
          <legend>Versions</legend>
          <SentenceField
            id="count"
            label="Keep at least this many versions of each unit"
            before="Keep the newest"
            after="versions of each unit,"
            value={input.count}
            faults={faults}
          />
          <SentenceField
            id="days"
            label="Keep every version of this many days"
            before="and every version of the last"
            after="days."
            value={input.days}
            faults={faults}
          />
          <p class="hint muted">
            A version stays if one of the two keeps it. With one field empty, only the other one counts; with
            both empty, every version stays.
          </p>
        </fieldset>
        <fieldset class="sentences">
          <legend>Events</legend>
          <SentenceField
            id="eventDays"
            label="Keep events of this many days"
            before="Keep events of the last"
            after="days."
            value={input.eventDays}
            faults={faults}
          />
          <p class="hint muted">Activity and audit show them. With the field empty, every event stays.</p>
        </fieldset>
        <div class="bar">
          <button class="button primary" type="submit" name="do" value="save">
            Save
          </button>
          <button class="button" type="submit" name="do" value="preview">
            Preview
          </button>
        </div>
      </Form>
    </Card>
  )
}

function PreviewCard({ view, preview }: { readonly view: OrgView; readonly preview: Preview }) {
  const { report, units, more } = preview
  const columns: readonly Column<RemovedUnit>[] = [
    {
      name: 'unit',
      label: 'Unit',
      cell: ({ name }) => (
        <a class="mono" href={unitPath(view.org.base, name, 'history')}>
          {name}
        </a>
      ),
      value: ({ name }) => name,
    },
    {
      name: 'versions',
      label: 'Versions',
      isNumber: true,
      cell: ({ versionsPruned }) => versionsPruned.toLocaleString('en'),
      value: ({ versionsPruned }) => versionsPruned,
    },
    {
      name: 'bytes',
      label: 'Size',
      isNumber: true,
      cell: ({ bytesDeleted }) => <span class="nowrap">{bytes(bytesDeleted)}</span>,
      value: ({ bytesDeleted }) => bytesDeleted,
    },
  ]
  return (
    <Card title="Preview">
      <Notice kind={report.objectsDeleted === 0 ? 'ok' : 'warn'}>
        <p>
          {report.objectsDeleted === 0
            ? `These rules would remove nothing now. ${report.units} units were checked.`
            : `These rules would remove ${removedWords(report)} now. ${report.units} units were checked. Nothing was saved.`}
        </p>
      </Notice>
      {units.length > 0 && (
        <DataTable
          path={view.path}
          caption="Units that would lose the most"
          columns={columns}
          items={units}
        />
      )}
      {more > 0 && <p class="muted">And from {more} more units.</p>}
    </Card>
  )
}

function ApplyNow({ view, now, faults }: RetentionPageProps) {
  return (
    <Card title="Apply now">
      <p class="muted">Removes what the saved rules do not keep. What is removed cannot be brought back.</p>
      <Confirm
        view={view}
        action={settingsPath(view, 'retention/apply')}
        label="Apply the saved rules now"
        button="Remove old versions and events"
        word={now.name}
        faults={faults}
      />
    </Card>
  )
}

function ruleFacts({ retention, eventRetention }: Organization): readonly (readonly [string, string])[] {
  return [
    ['Versions', sayRetention(retention)],
    ['Events', eventRetention === null ? 'everything' : `those of the last ${eventRetention.days} days`],
  ]
}

export function removedWords({ versionsPruned, eventsPruned, bytesDeleted }: GcReport): string {
  const parts = [counted(versionsPruned, 'version'), counted(eventsPruned, 'event')]
  return `${parts.join(' and ')}, ${bytes(bytesDeleted)}`
}

function counted(count: number, word: string): string {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`
}

/** The command that stores the same. */
function commandOf({ name, retention, eventRetention }: Organization): string {
  const flags = [
    ...(retention?.count === undefined ? [] : [`--keep-versions ${retention.count}`]),
    ...(retention?.days === undefined ? [] : [`--keep-days ${retention.days}`]),
    ...(eventRetention === null ? [] : [`--keep-events ${eventRetention.days}d`]),
  ]
  return `taco org set ${name} ${flags.length === 0 ? '--keep-all' : flags.join(' ')}`
}
