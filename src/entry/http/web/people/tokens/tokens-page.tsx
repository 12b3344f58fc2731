import type { Team, TokenView } from '../../../../../access/index.ts'
import { tokenColumns } from '../../account/token-columns.tsx'
import { TokenNameField, TokenScopeFields } from '../../account/token-fields.tsx'
import { EXPIRY_CHOICES, type TokenInput } from '../../account/token-form.ts'
import { withQuery } from '../../shell/addresses.ts'
import { matchingLines, shell } from '../../shell/command-line.ts'
import { ConfirmRow } from '../../shell/confirm.tsx'
import type { Faults } from '../../shell/faults.ts'
import { SelectField, optionsOf } from '../../shell/form/select-field.tsx'
import { Form } from '../../shell/layout.tsx'
import { type Arranged, List } from '../../shell/list.tsx'
import { Card, CopiedText, Notice } from '../../shell/parts.tsx'
import type { Column } from '../../shell/table.tsx'
import type { OrgView } from '../../shell/view.ts'
import { PeopleFrame, peoplePath } from '../frame.tsx'

export const TOKEN_KINDS = ['organization', 'team', 'agent'] as const
const STATUSES = ['active', 'expired', 'revoked'] as const

/** The form as it was filled in. */
export interface OrgTokenInput extends TokenInput {
  readonly kind: (typeof TOKEN_KINDS)[number]
  readonly team: string
  readonly roles: readonly string[]
}

/** As they are in the address. */
interface Filters {
  readonly kind?: string | undefined
  readonly status?: string | undefined
  readonly team: string
}

interface OrgTokensPageProps {
  readonly view: OrgView
  readonly list: Arranged<TokenView>
  readonly filters: Filters
  readonly teams: readonly Team[]
  readonly roles: readonly string[]
  readonly created?: { readonly token: TokenView; readonly text: string } | undefined
  readonly input?: OrgTokenInput | undefined
  readonly faults: Faults
}

export function orgTokenColumns(teams: readonly Team[], now: number): readonly Column<TokenView>[] {
  const teamOf = ({ team }: TokenView) => teams.find(({ id }) => id === team)?.name ?? team
  const owner = (token: TokenView) => (token.kind === 'team' ? `team ${teamOf(token)}` : token.kind)
  const rights = ({ kind, roles }: TokenView) => (kind === 'team' ? 'what the team may do' : roles.join(', '))
  const [name, ...rest] = tokenColumns(rights, now)
  return [...(name ? [name] : []), { name: 'of', label: 'Of', cell: owner, value: owner }, ...rest]
}

export function OrgTokensPage(props: OrgTokensPageProps) {
  const { view, list, filters, teams, created } = props
  const path = withQuery(peoplePath(view, 'tokens'), { ...filters })
  return (
    <PeopleFrame view={view} tab="tokens" command={commandOf(filters, list.asked.search)}>
      {created !== undefined && (
        <Notice kind="ok">
          <p>
            The token <b>{created.token.name}</b> was created. Copy it now: it is not shown again.
          </p>
          <CopiedText>{created.text}</CopiedText>
        </Notice>
      )}
      <Card title="Tokens">
        <p class="muted">
          For programs that act for no single person. Tokens of jobs that prove who they are come from{' '}
          <a href={peoplePath(view, 'workloads')}>workload rules</a>.
        </p>
        <TokenFilters view={view} filters={filters} teams={teams} />
        <List
          path={path}
          caption="Tokens"
          list={list}
          actions={[revokeColumn(view)]}
          empty="There are none."
        />
      </Card>
      <Card title="Create a token">
        <OrgTokenForm {...props} />
      </Card>
    </PeopleFrame>
  )
}

/** A list is of one kind. */
function commandOf({ kind, team, status }: Filters, search = ''): string {
  const whose =
    team !== ''
      ? ['--team', team]
      : kind === 'agent'
        ? ['--agent']
        : kind === 'team'
          ? ['--team', '…']
          : ['--org-token']
  return matchingLines(matchingLines(shell`taco token ls ${whose}`, status ?? ''), search)
}

function revokeColumn(view: OrgView): Column<TokenView> {
  return {
    name: 'revoke',
    label: 'Revoke',
    cell: ({ id, name, status }) =>
      status === 'active' && (
        <ConfirmRow
          view={view}
          action={`${peoplePath(view, 'tokens')}/revoke`}
          label="Revoke"
          button={`Revoke ${name}`}
        >
          <input type="hidden" name="token" value={id} />
          <p>Programs that use it are refused within seconds.</p>
        </ConfirmRow>
      ),
    value: () => null,
  }
}

interface TokenFiltersProps {
  readonly view: OrgView
  readonly filters: Filters
  readonly teams: readonly Team[]
}

function TokenFilters({ view, filters, teams }: TokenFiltersProps) {
  const choice = (name: 'kind' | 'status' | 'team', label: string, values: readonly string[]) => (
    <SelectField
      id={`of-${name}`}
      name={name}
      label={label}
      value={filters[name] ?? ''}
      options={[['', 'all'], ...optionsOf(values)]}
    />
  )
  return (
    <form class="filters bar" action={peoplePath(view, 'tokens')}>
      {choice('kind', 'Kind', TOKEN_KINDS)}
      {choice('status', 'Status', STATUSES)}
      {teams.length > 0 &&
        choice(
          'team',
          'Team',
          teams.map(({ name }) => name),
        )}
      <button class="button" type="submit">
        Filter
      </button>
    </form>
  )
}

const KIND_WORDS: Readonly<Record<OrgTokenInput['kind'], string>> = {
  organization: 'the organization',
  team: 'a team',
  agent: 'an agent',
}

const DAYS = EXPIRY_CHOICES.map((days) => [days, days === 'never' ? 'never' : `${days} days`] as const)

function OrgTokenForm({ view, teams, roles, input, faults }: OrgTokensPageProps) {
  const roleFault = faults['roles'] ?? faults['role']
  return (
    <Form view={view} action={peoplePath(view, 'tokens')} class="form wide org-token" isOnce>
      <div class="pair">
        <TokenNameField input={input ?? {}} faults={faults} />
        <SelectField
          id="kind"
          label="Token of"
          hint="Whose rights it has."
          value={input?.kind ?? ''}
          options={TOKEN_KINDS.map((kind) => [kind, KIND_WORDS[kind]])}
          faults={faults}
        />
      </div>
      <div class="for-team">
        <SelectField
          id="team"
          label="Team"
          hint="For a token of a team."
          value={input?.team ?? ''}
          options={[['', 'none'], ...optionsOf(teams.map(({ name }) => name))]}
          faults={faults}
        />
      </div>
      <div class="for-roles">
        <RoleChoices roles={roles} chosen={input?.roles ?? []} error={roleFault} />
      </div>
      <div class="pair">
        <TokenScopeFields input={input ?? {}} faults={faults} days={DAYS} whose="it" />
      </div>
      <div>
        <button class="button primary" type="submit">
          Create token
        </button>
      </div>
    </Form>
  )
}

interface RoleChoicesProps {
  readonly roles: readonly string[]
  readonly chosen: readonly string[]
  readonly error: string | undefined
}

/** Also for workload rules. */
export function RoleChoices({ roles, chosen, error }: RoleChoicesProps) {
  return (
    <fieldset class="choices" aria-describedby={error === undefined ? undefined : 'roles-error'}>
      <legend>Roles</legend>
      {roles.map((role, at) => (
        <label>
          <input
            type="checkbox"
            name="roles"
            value={role}
            checked={chosen.includes(role)}
            autofocus={error !== undefined && at === 0}
          />{' '}
          {role}
        </label>
      ))}
      {error !== undefined && (
        <span class="error" id="roles-error">
          {error}
        </span>
      )}
    </fieldset>
  )
}
