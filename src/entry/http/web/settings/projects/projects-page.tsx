import type { Faults } from '../../shell/faults.ts'
import { Form } from '../../shell/layout.tsx'
import { Card, Split } from '../../shell/parts.tsx'
import { type Column, DataTable, ListFooter, type Paging } from '../../shell/table.tsx'
import type { OrgView } from '../../shell/view.ts'
import { SettingsFrame, settingsPath } from '../frame.tsx'
import { ProjectFields } from './project-fields.tsx'
import type { ProjectInput } from './project-form.ts'
import { type CountedProject, sayLabels } from './read.ts'

export const projectPath = (view: OrgView, { id }: { readonly id: string }) =>
  settingsPath(view, `projects/${id}`)

export function projectColumns(view: OrgView): readonly Column<CountedProject>[] {
  return [
    {
      name: 'name',
      label: 'Project',
      cell: (project) => (
        <>
          <a href={projectPath(view, project)}>{project.name}</a>
          {project.isDefault && <span class="faint"> default</span>}
          {project.description !== '' && <div class="faint">{project.description}</div>}
        </>
      ),
      value: ({ name }) => name,
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
      cell: ({ labels }) => <span class="mono">{sayLabels(labels)}</span>,
      value: ({ labels }) => sayLabels(labels),
    },
    {
      name: 'id',
      label: 'Id',
      cell: ({ id }) => <span class="mono faint">{id}</span>,
      value: ({ id }) => id,
    },
  ]
}

interface ProjectsPageProps {
  readonly view: OrgView
  readonly search: string
  readonly items: readonly CountedProject[]
  readonly paging: Paging
  readonly input: ProjectInput
  readonly faults: Faults
}

export function ProjectsPage({ view, search, items, paging, input, faults }: ProjectsPageProps) {
  const path = settingsPath(view, 'projects')
  return (
    <SettingsFrame view={view} tab="projects">
      <Split
        side={
          view.may('org:admin') ? (
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
          ) : undefined
        }
      >
        <Card title="Projects">
          <p class="muted">
            Every unit is in one project. Roles, variable sets and notifications can be for a project.
          </p>
          <form class="bar filters" action={path}>
            <input type="search" name="search" value={search} placeholder="Name" aria-label="Name contains" />
            <button class="button" type="submit">
              Filter
            </button>
          </form>
          {items.length === 0 ? (
            <p class="muted">No project has such a name.</p>
          ) : (
            <DataTable
              path={view.path}
              caption="Projects"
              columns={projectColumns(view)}
              items={items}
              hrefOf={(project) => projectPath(view, project)}
            />
          )}
          <ListFooter path={view.path} paging={paging} />
        </Card>
      </Split>
    </SettingsFrame>
  )
}
