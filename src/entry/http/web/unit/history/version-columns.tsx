import { sayAuthor } from '../../../../../base/text/author.ts'
import { bytes } from '../../../../../base/text/bytes.ts'
import type { VersionView } from '../../../../../state/index.ts'
import { unitPath, withQuery } from '../../shell/addresses.ts'
import { Ago } from '../../shell/parts.tsx'
import type { Column } from '../../shell/table.tsx'
import type { UnitPage } from '../frame.tsx'
import { changeWords } from './change-words.ts'
import { Changes, type ListedVersions } from './changes.tsx'

/** With more than one item, two of them can be selected. */
export function versionColumns(
  { view, unit }: UnitPage,
  { items, changes, counted }: ListedVersions,
): readonly Column<VersionView>[] {
  const mayCompare = view.may('versions:read-state', unit)
  const mayRollBack = view.may('state:rollback', unit)
  const path = (tab: string) => unitPath(view.org.base, unit.name, tab)
  const [newest, older] = items
  const chooser = (name: 'from' | 'to', label: string, chosen: VersionView | undefined) => ({
    name,
    label,
    cell: ({ seq, id }: VersionView) => (
      <input
        type="radio"
        name={name}
        value={String(seq)}
        checked={id === chosen?.id}
        aria-label={`${label} version ${seq}`}
      />
    ),
    value: () => null,
  })
  return [
    ...(mayCompare && items.length > 1 ? [chooser('from', 'From', older), chooser('to', 'To', newest)] : []),
    {
      name: 'version',
      label: 'Version',
      isNumber: true,
      cell: ({ seq }) =>
        mayCompare && seq > 1 ? (
          <a href={withQuery(path('diff'), { from: String(seq - 1), to: String(seq) })}>{seq}</a>
        ) : (
          seq
        ),
      value: ({ seq }) => seq,
    },
    {
      name: 'changes',
      label: 'Changes',
      cell: (version) => <Changes of={version} changes={changes} counted={counted} />,
      value: ({ id }) => changeWords(changes.get(id)),
    },
    {
      name: 'serial',
      label: 'Serial',
      isNumber: true,
      cell: ({ serial }) => serial,
      value: ({ serial }) => serial,
    },
    { name: 'at', label: 'When', cell: ({ at }) => <Ago at={at} now={view.now} />, value: ({ at }) => at },
    { name: 'by', label: 'By', cell: sayAuthor, value: ({ by }) => by },
    { name: 'how', label: 'How', cell: ({ how }) => how, value: ({ how }) => how },
    {
      name: 'resources',
      label: 'Resources',
      isNumber: true,
      cell: ({ resources }) => resources ?? '',
      value: ({ resources }) => resources,
    },
    {
      name: 'size',
      label: 'Size',
      isNumber: true,
      cell: ({ size }) => <span class="nowrap">{bytes(size)}</span>,
      value: ({ size }) => size,
    },
    {
      name: 'message',
      label: 'Message',
      cell: ({ message, warning }) => (
        <>
          <span class="muted">{message ?? ''}</span>
          {warning !== null && <span class="chip warn">{warning}</span>}
        </>
      ),
      value: ({ message }) => message,
    },
    {
      name: 'status',
      label: 'Status',
      cell: ({ status, id }) =>
        status === 'current' ? (
          <span class="chip ok">current</span>
        ) : mayRollBack ? (
          <a class="nowrap" href={withQuery(path('rollback'), { version: id })}>
            Roll back
          </a>
        ) : (
          <span class="muted">{status}</span>
        ),
      value: ({ status }) => status,
    },
  ]
}
