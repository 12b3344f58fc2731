import type { KnownSession } from '../../../../access/index.ts'
import { Ago } from '../shell/parts.tsx'
import type { Column } from '../shell/table.tsx'
import { browserName } from './browser-name.ts'

/** Those that were not ended and are not over, the last seen first. Pure. */
export function liveSessions(all: readonly KnownSession[], now: number): readonly KnownSession[] {
  return all
    .filter(({ endedAt, expiresAt }) => endedAt === undefined && now < expiresAt)
    .toSorted((a, b) => b.seenAt - a.seenAt)
}

/** What lists of sessions show. `current`: the id of that of the person who looks. */
export function sessionColumns(now: number, current?: string): readonly Column<KnownSession>[] {
  return [
    {
      name: 'browser',
      label: 'Browser',
      cell: ({ id, userAgent }) => (
        <>
          {browserName(userAgent)} {id === current && <span class="chip ok">this browser</span>}
        </>
      ),
      value: ({ userAgent }) => browserName(userAgent),
    },
    {
      name: 'address',
      label: 'Address',
      cell: ({ address }) => <span class="mono">{address ?? 'unknown'}</span>,
      value: ({ address }) => address ?? null,
    },
    { name: 'provider', label: 'Signed in with', cell: (of) => of.provider, value: (of) => of.provider },
    {
      name: 'since',
      label: 'Since',
      cell: ({ createdAt }) => <Ago at={createdAt} now={now} />,
      value: ({ createdAt }) => new Date(createdAt).toISOString(),
    },
    {
      name: 'seenAt',
      label: 'Last seen',
      cell: ({ seenAt }) => <Ago at={seenAt} now={now} />,
      value: ({ seenAt }) => new Date(seenAt).toISOString(),
    },
  ]
}
