import { sayAuthor, sayCreator } from '../../../../base/text/author.ts'
import { bytes } from '../../../../base/text/bytes.ts'
import type { OrgView as Organization } from '../../../../state/index.ts'
import { shell } from '../shell/command-line.ts'
import type { Faults } from '../shell/faults.ts'
import { Form } from '../shell/layout.tsx'
import { Card, Command, Notice, Split, Time } from '../shell/parts.tsx'
import type { OrgView } from '../shell/view.ts'
import { DeleteCard, RestoreCard } from './delete-card.tsx'
import { SettingsFrame, settingsPath } from './frame.tsx'
import type { LimitsInput } from './limits-form.ts'
import { RaceNotice } from '../shell/form/race-notice.tsx'
import { TextField } from '../shell/form/text-field.tsx'

/** What was overtaken by another change. */
export type Race = 'name' | 'limits' | 'delete'

interface GeneralPageProps {
  readonly view: OrgView
  /** As it is stored. */
  readonly now: Organization
  readonly etag: string
  readonly name: string
  readonly limits: LimitsInput
  readonly faults: Faults
  readonly race: Race | undefined
  /** True: deleting was refused because units are locked. */
  readonly isLocked: boolean
}

export function GeneralPage(props: GeneralPageProps) {
  const { view, now, race } = props
  const mayChange = view.may('org:admin')
  return (
    <SettingsFrame view={view}>
      <Split
        side={
          <>
            <Facts now={now} />
            <Command>{shell`taco org show ${now.name}`}</Command>
          </>
        }
      >
        {now.deleted !== null && <Deleted {...props} />}
        {race === 'limits' && <RaceNotice what="the organization" facts={limitFacts(now)} />}
        {(race === 'name' || race === 'delete') && (
          <RaceNotice what="the organization" facts={[['Name', now.name], ...limitFacts(now)]} />
        )}
        {mayChange && now.deleted === null ? (
          <>
            <NameForm {...props} />
            <LimitsForm {...props} />
          </>
        ) : (
          <Card title="Limits">
            <dl class="keyed">
              {limitFacts(now).map(([label, value]) => (
                <>
                  <dt>{label}</dt>
                  <dd>{value}</dd>
                </>
              ))}
            </dl>
          </Card>
        )}
        {now.deleted === null && view.may('org:delete') && <DeleteCard {...props} />}
      </Split>
    </SettingsFrame>
  )
}

function Deleted({ view, now }: GeneralPageProps) {
  return (
    <>
      <Notice kind="warn">
        <p>
          The organization was deleted
          {now.deleted !== null && (
            <>
              {' '}
              by {sayAuthor(now.deleted)} on <Time at={now.deleted.at} />
            </>
          )}
          . Its units cannot be used.
        </p>
      </Notice>
      {view.may('org:delete') && <RestoreCard view={view} />}
    </>
  )
}

function NameForm({ view, etag, name, faults }: GeneralPageProps) {
  return (
    <Card title="Name">
      <Form view={view} action={settingsPath(view, 'name')} class="form">
        <input type="hidden" name="etag" value={etag} />
        <TextField
          id="name"
          label="Name"
          hint="Nothing moves in the bucket. Former names still lead here, also in backend blocks."
          value={name}
          faults={faults}
          isRequired
        />
        <div>
          <button class="button" type="submit">
            Rename
          </button>
        </div>
      </Form>
    </Card>
  )
}

function LimitsForm({ view, etag, limits, faults }: GeneralPageProps) {
  return (
    <Card title="Limits">
      <p class="muted">
        An organization at its limit refuses new units and new applies. It never refuses the state of an apply
        that has begun. An empty field means no limit.
      </p>
      <Form view={view} action={settingsPath(view, 'limits')} class="form">
        <input type="hidden" name="etag" value={etag} />
        <div class="pair">
          <TextField
            id="units"
            label="Units"
            hint="Most units."
            value={limits.units}
            faults={faults}
            isNumber
          />
          <TextField
            id="versions"
            label="Versions of a unit"
            hint="Older ones are removed, whatever the retention says."
            value={limits.versions}
            faults={faults}
            isNumber
          />
          <TextField
            id="bytes"
            label="Bytes"
            hint="Of states and versions, such as 500MB or 20GB."
            value={limits.bytes}
            faults={faults}
          />
        </div>
        <div>
          <button class="button primary" type="submit">
            Save limits
          </button>
        </div>
      </Form>
    </Card>
  )
}

function limitFacts({ limits }: Organization): readonly (readonly [string, string])[] {
  const most = (count: number | undefined) => (count === undefined ? 'no limit' : count.toLocaleString('en'))
  return [
    ['Units', most(limits.units)],
    ['Versions of a unit', most(limits.versions)],
    ['Bytes', limits.bytes === undefined ? 'no limit' : bytes(limits.bytes)],
  ]
}

function Facts({ now }: { readonly now: Organization }) {
  return (
    <Card title="About">
      <dl class="keyed">
        <dt>Name</dt>
        <dd>{now.name}</dd>
        <dt>Id</dt>
        <dd class="mono">{now.id}</dd>
        {now.formerNames.length > 0 && (
          <>
            <dt>Former names</dt>
            <dd>{now.formerNames.join(', ')}</dd>
          </>
        )}
        <dt>Folder</dt>
        <dd class="mono">{now.folder === '' ? 'the whole bucket' : now.folder}</dd>
        <dt>Created</dt>
        <dd>
          <Time at={now.createdAt} />
        </dd>
        <dt>By</dt>
        <dd>{sayCreator(now)}</dd>
      </dl>
    </Card>
  )
}
