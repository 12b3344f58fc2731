import { sayAuthor } from '../../../../base/text/author.ts'
import type { OrgView as Organization } from '../../../../state/index.ts'
import type { Faults } from '../shell/faults.ts'
import { TextField } from '../shell/form/text-field.tsx'
import { Form, Layout } from '../shell/layout.tsx'
import { Ago, Card, Command, Split, Tabs } from '../shell/parts.tsx'
import { type Column, CursorFooter, DataTable } from '../shell/table.tsx'
import type { View } from '../shell/view.ts'

export interface Row {
  readonly org: Organization
  readonly path: string
  /** Undefined: not known. */
  readonly units: number | undefined
  readonly canRestore: boolean
}

/** What was typed, and what is wrong with it. */
export interface CreateForm {
  readonly name: string
  readonly prefix: string
  readonly faults: Faults
}

export const orgColumns = ({ now }: Pick<View, 'now'>): readonly Column<Row>[] => [
  {
    name: 'name',
    label: 'Name',
    cell: ({ org, path }) => (org.deleted === null ? <a href={path}>{org.name}</a> : org.name),
    value: ({ org }) => org.name,
  },
  {
    name: 'units',
    label: 'Units',
    isNumber: true,
    cell: ({ units }) => units?.toLocaleString('en') ?? '',
    value: ({ units }) => units ?? null,
  },
  {
    name: 'folder',
    label: 'Folder',
    cell: ({ org }) =>
      org.folder === '' ? (
        <span class="muted">the whole bucket</span>
      ) : (
        <span class="mono muted">{org.folder}</span>
      ),
    value: ({ org }) => org.folder,
  },
  {
    name: 'createdAt',
    label: 'Created',
    cell: ({ org }) => <Ago at={org.createdAt} now={now} />,
    value: ({ org }) => org.createdAt,
  },
]

function deletedColumns(view: View): readonly Column<Row>[] {
  return [
    ...orgColumns(view).filter(({ name }) => name === 'name' || name === 'folder'),
    {
      name: 'deletedAt',
      label: 'Deleted',
      cell: ({ org: { deleted } }) =>
        deleted && (
          <>
            <Ago at={deleted.at} now={view.now} /> by {sayAuthor(deleted)}
          </>
        ),
      value: ({ org }) => org.deleted?.at ?? null,
    },
    {
      name: 'restore',
      label: 'Restore',
      cell: ({ org, path, canRestore }) =>
        canRestore && (
          <Form view={view} action={`${path}/restore`}>
            <button class="button small" type="submit" aria-label={`Restore ${org.name}`}>
              Restore
            </button>
          </Form>
        ),
      value: () => null,
    },
  ]
}

interface PageProps {
  readonly view: View
  readonly rows: readonly Row[]
  readonly next: string | undefined
  readonly isDeleted: boolean
  /** Undefined: the person may not create one. */
  readonly create: CreateForm | undefined
}

export function OrganizationsPage({ view, rows, next, isDeleted, create }: PageProps) {
  const tabs = [
    { label: 'Current', href: '/app', isCurrent: !isDeleted },
    { label: 'Deleted', href: '/app?deleted=yes', isCurrent: isDeleted },
  ]
  return (
    <Layout view={view} title="Organizations">
      <h1>Organizations</h1>
      <Tabs label="Organizations" tabs={tabs} />
      <Split
        side={
          <>
            {create !== undefined && <CreateCard view={view} form={create} />}
            <Command>{isDeleted ? 'taco org ls --deleted' : 'taco org ls'}</Command>
          </>
        }
      >
        <Card>
          {rows.length === 0 ? (
            <p class="muted">
              {isDeleted
                ? 'No organization that you may see was deleted.'
                : 'You are not a member of an organization yet. An owner of one can add you.'}
            </p>
          ) : (
            <DataTable
              path={view.path}
              caption="Organizations"
              columns={isDeleted ? deletedColumns(view) : orgColumns(view)}
              items={rows}
              {...(isDeleted ? {} : { hrefOf: ({ path }: Row) => path })}
            />
          )}
          <CursorFooter path={view.path} next={next} />
        </Card>
      </Split>
    </Layout>
  )
}

function CreateCard({
  view,
  form: { name, prefix, faults },
}: {
  readonly view: View
  readonly form: CreateForm
}) {
  return (
    <Card title="New organization">
      <Form view={view} action="/app" class="form" isOnce>
        <TextField
          id="name"
          label="Name"
          hint="Lower-case letters, digits, - and _."
          value={name}
          faults={faults}
          isRequired
        />
        <TextField
          id="prefix"
          label="Folder"
          hint="Where the states of its units are stored, such as teams/a/. If left empty: a folder of its name."
          value={prefix}
          faults={faults}
        />
        <div>
          <button class="button primary" type="submit">
            Create
          </button>
        </div>
      </Form>
    </Card>
  )
}
