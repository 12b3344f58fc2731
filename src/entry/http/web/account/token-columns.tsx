import { sayPrincipal } from '../../../../base/text/author.ts'
import type { TokenView } from '../../../../access/index.ts'
import { Ago } from '../shell/parts.tsx'
import type { Column } from '../shell/table.tsx'

const STATUS_CHIP: Readonly<Record<TokenView['status'], string>> = {
  active: 'chip ok',
  expired: 'chip',
  revoked: 'chip',
}

/** What lists of tokens show. `rights`: what a token may do that is not narrowed. */
export function tokenColumns(
  rights: (token: TokenView) => string,
  now: number,
): readonly Column<TokenView>[] {
  return [
    {
      name: 'name',
      label: 'Name',
      cell: ({ name, id }) => (
        <>
          {name}
          <div class="faint mono nowrap">{id}</div>
        </>
      ),
      value: ({ name }) => name,
    },
    {
      name: 'status',
      label: 'Status',
      cell: ({ status }) => <span class={STATUS_CHIP[status]}>{status}</span>,
      value: ({ status }) => status,
    },
    {
      name: 'may',
      label: 'May do',
      cell: (token) => scopeText(token, rights(token)),
      value: (token) => scopeText(token, rights(token)),
    },
    {
      name: 'createdAt',
      label: 'Created',
      cell: ({ createdAt, createdBy }) => (
        <>
          <Ago at={createdAt} now={now} />
          <div class="faint">by {sayPrincipal(createdBy)}</div>
        </>
      ),
      value: ({ createdAt }) => createdAt,
    },
    { name: 'createdBy', label: '', cell: () => '', value: ({ createdBy }) => createdBy },
    {
      name: 'expiresAt',
      label: 'Expires',
      cell: ({ expiresAt }) =>
        expiresAt === null ? (
          'never'
        ) : (
          <time class="num nowrap" datetime={expiresAt}>
            {expiresAt.slice(0, 10)}
          </time>
        ),
      value: ({ expiresAt }) => expiresAt,
    },
    {
      name: 'lastUsedAt',
      label: 'Last used',
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Ago at={lastUsedAt} now={now} />),
      value: ({ lastUsedAt }) => lastUsedAt,
    },
    { name: 'id', label: '', cell: () => '', value: ({ id }) => id },
  ]
}

function scopeText({ actions, units }: TokenView, rights: string): string {
  if (actions === null && units === null) return rights
  const what = actions === null ? rights : actions.join(', ')
  return units === null ? what : `${what} on ${units.join(', ')}`
}
