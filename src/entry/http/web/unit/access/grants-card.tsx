import { sayPrincipal } from '../../../../../base/text/author.ts'
import type { Action } from '../../../../../access/index.ts'
import { rolePath } from '../../people/frame.tsx'
import { withQuery } from '../../shell/addresses.ts'
import { Form } from '../../shell/layout.tsx'
import { Card } from '../../shell/parts.tsx'
import { type Column, DataTable, ListFooter, pageOf } from '../../shell/table.tsx'
import type { OrgView } from '../../shell/view.ts'
import type { GrantRow } from './gather.ts'

/** The columns: what people want to know of a role first. Everything else is one click away. */
const ABILITIES: readonly (readonly [label: string, action: Action])[] = [
  ['See', 'unit:read'],
  ['State', 'state:read'],
  ['Secrets', 'outputs:read-sensitive'],
  ['Lock', 'lock'],
  ['Write', 'state:write'],
  ['Vars', 'vars:write'],
  ['Admin', 'unit:admin'],
]

const PAGE_SIZE = 50

interface GrantsCardProps {
  readonly view: OrgView
  /** Of the page, without its query. */
  readonly path: string
  readonly grants: readonly GrantRow[]
  readonly number: number
  readonly who: string
}

export function GrantsCard({ view, path, grants, number, who }: GrantsCardProps) {
  const part = pageOf(grants, number, PAGE_SIZE)
  const shown = withQuery(path, { who })
  const columns = grantColumns(view, path)
  const mayRevoke = view.may('role:manage') && part.items.some(({ isOfUnit }) => isOfUnit)
  return (
    <Card title="Who may do what here">
      <p class="muted">
        Roles that apply to this unit, and where they were given. Another role of the same person can deny
        what one allows: select a name for the whole answer. Administrators of the server may do everything.
      </p>
      {grants.length === 0 ? (
        <p class="muted">No role applies to this unit.</p>
      ) : (
        <DataTable
          path={shown}
          caption="Roles that apply to the unit"
          columns={mayRevoke ? [...columns, revokeColumn(view, path)] : columns}
          items={part.items}
        />
      )}
      <ListFooter path={shown} paging={part.paging} />
    </Card>
  )
}

export function grantColumns(view: OrgView, path: string): readonly Column<GrantRow>[] {
  const columns: readonly Column<GrantRow>[] = [
    {
      name: 'who',
      label: 'Who',
      cell: ({ said }) =>
        said.startsWith('workload:') || said.startsWith('email:') ? (
          said
        ) : (
          <a href={withQuery(path, { who: said })}>{sayPrincipal(said)}</a>
        ),
      value: ({ said }) => said,
    },
    {
      name: 'role',
      label: 'Role',
      cell: ({ role, where }) => (
        <>
          <a href={rolePath(view, role)}>{role}</a>
          <div class="faint nowrap">{where}</div>
        </>
      ),
      value: ({ role }) => role,
    },
    ...ABILITIES.map(([label, action]): Column<GrantRow> => ({
      name: action,
      label,
      cell: (row) => <Mark means={meaning(row, action)} />,
      value: (row) => meaning(row, action),
    })),
  ]
  return columns
}

/** Only in exports: in the page it is below the role. */
export const whereColumn: Pick<Column<GrantRow>, 'name' | 'value'> = {
  name: 'where',
  value: ({ where }) => where,
}

type Meaning = 'allowed' | 'denied' | 'nothing'

function meaning({ allows, denies }: GrantRow, action: Action): Meaning {
  if (denies.has(action)) return 'denied'
  return allows.has(action) ? 'allowed' : 'nothing'
}

const MARKS = { allowed: '✓', denied: '✕', nothing: '·' } as const

/** A shape and a word, so that it reads without colour and aloud. */
function Mark({ means }: { readonly means: Meaning }) {
  return (
    <span class={`mark ${means}`}>
      <span aria-hidden="true">{MARKS[means]}</span>
      <span class="unseen">{means === 'nothing' ? 'not by this role' : means}</span>
    </span>
  )
}

function revokeColumn(view: OrgView, path: string): Column<GrantRow> {
  return {
    name: 'revoke',
    label: 'Revoke',
    cell: ({ role, to, said, isOfUnit }) =>
      isOfUnit && (
        <details class="more confirm-row">
          <summary aria-label={`Revoke ${role} of ${said}`}>Revoke</summary>
          <Form view={view} action={`${path}/revoke`} class="form">
            <input type="hidden" name="role" value={role} />
            <input type="hidden" name="to" value={to} />
            <button class="button small danger" type="submit">
              Revoke {role} of {said}
            </button>
          </Form>
        </details>
      ),
    value: () => null,
  }
}
