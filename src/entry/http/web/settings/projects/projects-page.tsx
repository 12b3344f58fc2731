import type { CountedProject } from '../../../kit/counted-projects.ts'
import { matchingLines } from '../../shell/command-line.ts'
import type { Faults } from '../../shell/faults.ts'
import { Form } from '../../shell/layout.tsx'
import { type Arranged, List } from '../../shell/list.tsx'
import { Card, Command, Split } from '../../shell/parts.tsx'
import type { Column } from '../../shell/table.tsx'
import type { OrgView } from '../../shell/view.ts'
import { SettingsFrame, settingsPath } from '../frame.tsx'
import { ProjectFields } from './project-fields.tsx'
import { type ProjectInput, sayLabels } from './project-form.ts'

export const projectPath = (view: OrgView, { id }: { readonly id: string }) =>
  settingsPath(view, `projects/${id}`)

export function projectColumns(view: OrgView): readonly Column<CountedProject>[] {
  return [
    {
      name: 'name',
      label: 'Project',
      cell: ({ project, isDefault }) => (
        <>
          <a href={projectPath(view, project)}>{project.name}</a>
          {isDefault && <span class="faint"> default</span>}
          {project.description !== '' && <div class="faint">{project.description}</div>}
        </>
      ),
      value: ({ project }) => project.name,
    },
    {
      name: 'units',
      label: 'Units',
      isNumber: true,
      cell: ({ units }) => units.toLocaleString('en'),
      value: ({ units }) => units,
    },
    {
      name: 'labels',
      label: 'Labels',
      cell: ({ project }) => <span class="mono">{sayLabels(project.labels)}</span>,
      value: ({ project }) => sayLabels(project.labels),
    },
    {
      name: 'id',
      label: 'Id',
      cell: ({ project }) => <span class="mono faint">{project.id}</span>,
      value: ({ project }) => project.id,
    },
  ]
}

interface ProjectsPageProps {
  readonly view: OrgView
  readonly list: Arranged<CountedProject>
  readonly input: ProjectInput
  readonly faults: Faults
}

export function ProjectsPage({ view, list, input, faults }: ProjectsPageProps) {
  const path = settingsPath(view, 'projects')
  return (
    <SettingsFrame view={view} tab="projects">
      <Split
        side={
          <>
            {view.may('org:admin') && (
              <Card title="New project">
                <Form view={view} action={path} class="form">
                  <ProjectFields input={input} faults={faults} />
                  <div>
                    <button class="button primary" type="submit">
                      Create project
                    </button>
                  </div>
                </Form>
              </Card>
            )}
            <Command>{matchingLines('taco project ls', list.asked.search ?? '')}</Command>
          </>
        }
      >
        <Card title="Projects">
          <p class="muted">
            Every unit is in one project. Roles, variable sets and notifications can be for a project.
          </p>
          <List
            path={path}
            caption="Projects"
            list={list}
            hrefOf={({ project }) => projectPath(view, project)}
            empty="There are none."
          />
        </Card>
      </Split>
    </SettingsFrame>
  )
}
