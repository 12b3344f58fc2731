import type { Child } from 'hono/jsx'
import { sayRetention } from '../../../../../base/text/retention.ts'
import type { OrgView as Organization, UnitView } from '../../../../../state/index.ts'
import { RaceNotice } from '../../shell/form/race-notice.tsx'
import { settingsPath } from '../../settings/frame.tsx'
import { unitPath, withQuery } from '../../shell/addresses.ts'
import { shell } from '../../shell/command-line.ts'
import { Ago, Card, Command, Path, Split } from '../../shell/parts.tsx'
import { UnitFrame } from '../frame.tsx'
import { AboutForm, EncryptionForm, ExecutionForm, NameForm, ProjectForm, RetentionForm } from './forms.tsx'
import { type InputForm, inputsOf, labelLines } from './inputs.ts'
import type { SettingsPageProps } from './shown.ts'

export function SettingsPage(props: SettingsPageProps) {
  const { page, race } = props
  const { view, unit } = page
  const mayUpdate = view.may('unit:update', unit)
  const mayAdmin = view.may('unit:admin', unit)
  const facts = factsOf(props)
  return (
    <UnitFrame of={page} tab="settings">
      <Split
        side={
          <>
            <Facts unit={unit} now={page.view.now} />
            <Notifications {...props} />
            <More {...props} />
            <Command>{commandOf(props)}</Command>
          </>
        }
      >
        {race !== undefined && <RaceNotice what="the unit" facts={facts[race]} />}
        {mayUpdate ? (
          <AboutForm {...props} />
        ) : (
          <FactCard title="Description and labels" facts={facts.about} />
        )}
        {props.may.rename && <NameForm {...props} />}
        {mayAdmin ? <ProjectForm {...props} /> : <FactCard title="Project" facts={facts.project} />}
        {mayAdmin ? <RetentionForm {...props} /> : <FactCard title="Versions" facts={facts.retention} />}
        {mayAdmin ? <EncryptionForm {...props} /> : null}
        {mayUpdate ? <ExecutionForm {...props} /> : <FactCard title="Execution" facts={facts.execution} />}
      </Split>
    </UnitFrame>
  )
}

type Facts = readonly (readonly [label: string, value: Child])[]

function FactCard({ title, facts }: { readonly title: string; readonly facts: Facts }) {
  return (
    <Card title={title}>
      <dl class="keyed">
        {facts.map(([label, value]) => (
          <>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
    </Card>
  )
}

/** What is stored now, for those who may not change it and for those who were overtaken. */
function factsOf({ page: { unit }, projects, organization }: SettingsPageProps): Record<InputForm, Facts> {
  const { about, project, execution } = inputsOf(unit)
  const labels = labelLines(unit.labels)
  return {
    about: [
      ['Description', about.description || 'none'],
      ['Labels', labels.length === 0 ? 'none' : <span class="mono">{labels.join(' ')}</span>],
    ],
    name: [['Name', <span class="mono">{unit.name}</span>]],
    project: [['Project', projects.find(({ id }) => id === project.project)?.name ?? project.project]],
    retention: [['Kept', keptWords(unit, organization)]],
    encryption: [['Encryption', unit.allowDecrypt ? 'may be turned off' : 'stays on']],
    execution: [
      ['Execution mode', execution.executionMode || 'as the project says'],
      ['Engine version', execution.terraformVersion || 'any'],
      ['Working directory', execution.workingDirectory || 'none'],
      ['Apply without asking', execution.autoApply ? 'yes' : 'no'],
    ],
  }
}

function keptWords({ retention }: UnitView, organization: Organization | undefined): string {
  if (retention !== null) return sayRetention(retention)
  if (organization === undefined) return 'as the organization says'
  return `as the organization says: ${sayRetention(organization.retention)}`
}

/** The command that saves the same. */
function commandOf({ race, page: { unit }, inputs }: SettingsPageProps): string {
  if (race === 'name') return shell`taco unit rename ${unit.name} ${inputs.name.name}`
  return shell`taco unit set ${unit.name} --label team=network`
}

function Facts({ unit, now }: { readonly unit: UnitView; readonly now: number }) {
  return (
    <Card title="About">
      <dl class="keyed">
        <dt>Name</dt>
        <dd class="mono">{unit.name}</dd>
        <dt>Id</dt>
        <dd class="mono">{unit.id}</dd>
        <dt>Key</dt>
        <dd class="mono">
          <Path>{unit.key}</Path>
        </dd>
        <dt>Created</dt>
        <dd>
          <Ago at={unit.createdAt} now={now} />
        </dd>
      </dl>
    </Card>
  )
}

function Notifications({ page: { view, unit } }: SettingsPageProps) {
  if (!view.may('notification:read', unit)) return null
  const href = withQuery(settingsPath(view, 'notifications'), { scope: 'unit', of: unit.name })
  return (
    <Card title="Notifications">
      <p class="muted">
        <a href={href}>Notifications about this unit</a>: who is told when it is applied, fails or becomes
        stale.
      </p>
    </Card>
  )
}

function More({ page: { view, unit }, may, isGuarded }: SettingsPageProps) {
  if (isGuarded)
    return (
      <Card title="Guarded">
        <p class="muted">
          The unit is guarded, so it is neither renamed nor deleted. The tab{' '}
          <a href={unitPath(view.org.base, unit.name, 'access')}>Access</a> says by whom and why.
        </p>
      </Card>
    )
  if (!may.delete) return null
  return (
    <Card title="Delete">
      <p class="muted">Its history is kept, and it can be restored.</p>
      <a class="button danger" href={unitPath(view.org.base, unit.name, 'delete')}>
        Delete this unit
      </a>
    </Card>
  )
}
