import { sayPrincipal } from '../../../../../base/text/author.ts'
import type { Action } from '../../../../../access/index.ts'
import { rolePath } from '../../people/frame.tsx'
import { withQuery } from '../../shell/addresses.ts'
import { Form } from '../../shell/layout.tsx'
import { type Arranged, List } from '../../shell/list.tsx'
import { Card } from '../../shell/parts.tsx'
import type { Column } from '../../shell/table.tsx'
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

interface GrantsCardProps {
  readonly view: OrgView
  /** Of the page, without its query. */
  readonly path: string
  readonly list: Arranged<GrantRow>
  readonly who: string
}

export function GrantsCard({ view, path, list, who }: GrantsCardProps) {
  const mayRevoke = view.may('role:manage') && list.items.some(({ isOfUnit }) => isOfUnit)
  return (
    <Card title="Who may do what here">
      <p class="muted">
        Roles that apply to this unit, and where they were given. Another role of the same person can deny
        what one allows: select a name for the whole answer. Administrators of the server may do everything.
      </p>
      <List
        path={withQuery(path, { who })}
        caption="Roles that apply to the unit"
        list={list}
        actions={mayRevoke ? [revokeColumn(view, path)] : []}
        empty="No role applies to this unit."
      />
    </Card>
  )
}

export function grantColumns(view: OrgView, path: string): readonly Column<GrantRow>[] {
  return [
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
    // In the page it is below the role.
    { name: 'where', label: '', cell: () => '', value: ({ where }) => where },
  ]
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
