import { sayPrincipal } from '../../../../../base/text/author.ts'
import type { Project } from '../../../../../projects/index.ts'
import type { UnitView } from '../../../../../state/index.ts'
import { unitPath } from '../../shell/addresses.ts'
import { shell } from '../../shell/command-line.ts'
import { Confirm } from '../../shell/confirm.tsx'
import type { Faults } from '../../shell/faults.ts'
import { RaceNotice } from '../../shell/form/race-notice.tsx'
import { Form } from '../../shell/layout.tsx'
import { type Arranged, List } from '../../shell/list.tsx'
import { Ago, Card, Command, Split } from '../../shell/parts.tsx'
import type { Column } from '../../shell/table.tsx'
import type { OrgView } from '../../shell/view.ts'
import { SettingsFrame, settingsPath } from '../frame.tsx'
import { ProjectFields } from './project-fields.tsx'
import { type ProjectInput, sayLabels } from './project-form.ts'
import { projectPath } from './projects-page.tsx'

export interface ProjectPageProps {
  readonly view: OrgView
  readonly project: Project
  readonly isDefault: boolean
  readonly mayChange: boolean
  readonly list: Arranged<UnitView>
  readonly input: ProjectInput
  readonly etag: string
  readonly faults: Faults
  readonly isRace: boolean
}

export function ProjectPage(props: ProjectPageProps) {
  const { view, project, mayChange, list, isRace } = props
  return (
    <SettingsFrame view={view} tab="projects" title={`Project ${project.name}`}>
      <nav class="crumbs" aria-label="Path">
        <a href={settingsPath(view, 'projects')}>Projects</a> /
      </nav>
      <h2 class="subject">{project.name}</h2>
      <Split
        side={
          <>
            <Facts {...props} />
            {mayChange && <ChangeForm {...props} />}
            {mayChange && !props.isDefault && <DeleteForm {...props} />}
            <Command>{shell`taco project show ${project.name}`}</Command>
          </>
        }
      >
        {isRace && (
          <RaceNotice
            what="the project"
            facts={[
              ['Name', project.name],
              ['Description', project.description || 'none'],
              ['Labels', sayLabels(project.labels) || 'none'],
            ]}
          />
        )}
        <Card title="Units">
          <List
            path={projectPath(view, project)}
            caption="Units of the project"
            list={list}
            hrefOf={({ name }) => unitPath(view.org.base, name)}
            empty="No unit is in this project. Move one here in the settings of the unit."
          />
        </Card>
      </Split>
    </SettingsFrame>
  )
}

export function unitColumns({ org, now }: OrgView): readonly Column<UnitView>[] {
  return [
    {
      name: 'unit',
      label: 'Unit',
      cell: ({ name }) => (
        <a class="mono" href={unitPath(org.base, name)}>
          {name}
        </a>
      ),
      value: ({ name }) => name,
    },
    {
      name: 'resources',
      label: 'Resources',
      isNumber: true,
      cell: ({ state }) => state?.resources?.toLocaleString('en') ?? '',
      value: ({ state }) => state?.resources ?? null,
    },
    {
      name: 'changed',
      label: 'Changed',
      cell: ({ changedAt }) => <Ago at={changedAt} now={now} />,
      value: ({ changedAt }) => changedAt,
    },
  ]
}

function Facts({ view, project, isDefault, list, mayChange }: ProjectPageProps) {
  return (
    <Card title="About">
      <dl class="keyed">
        <dt>Id</dt>
        <dd class="mono">{project.id}</dd>
        <dt>Units</dt>
        <dd class="num">{list.total.toLocaleString('en')}</dd>
        {!mayChange && (
          <>
            <dt>Description</dt>
            <dd>{project.description || 'none'}</dd>
            <dt>Labels</dt>
            <dd class="mono">{sayLabels(project.labels) || 'none'}</dd>
          </>
        )}
        {project.createdAt > 0 && (
          <>
            <dt>Created</dt>
            <dd>
              <Ago at={project.createdAt} now={view.now} />
            </dd>
            <dt>By</dt>
            <dd>{sayPrincipal(project.createdBy)}</dd>
          </>
        )}
      </dl>
      {isDefault && <p class="muted">New units are in this project. It cannot be deleted.</p>}
    </Card>
  )
}

function ChangeForm({ view, project, input, etag, faults }: ProjectPageProps) {
  return (
    <Card title="Settings">
      <Form view={view} action={projectPath(view, project)} class="form">
        <input type="hidden" name="etag" value={etag} />
        <ProjectFields input={input} faults={faults} />
        <div>
          <button class="button primary" type="submit">
            Save
          </button>
        </div>
      </Form>
    </Card>
  )
}

function DeleteForm({ view, project, faults }: ProjectPageProps) {
  return (
    <Card title="Delete">
      <p class="muted">A project can be deleted when no unit is in it.</p>
      <Confirm
        view={view}
        action={`${projectPath(view, project)}/delete`}
        label="Delete this project"
        word={project.name}
        faults={faults}
      />
    </Card>
  )
}
