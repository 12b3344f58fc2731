import { sayPrincipal } from '../../../../base/text/author.ts'
import { bytes } from '../../../../base/text/bytes.ts'
import { type ModuleVersion, publishedAt } from '../../../../registry/index.ts'
import { withQuery } from '../shell/addresses.ts'
import { List, arrange } from '../shell/list.tsx'
import { Ago, Card } from '../shell/parts.tsx'
import type { Column } from '../shell/table.tsx'
import { Confirm, confirmId } from '../shell/confirm.tsx'
import { modulePath } from './frame.tsx'
import type { ModuleShown } from './module-shown.ts'

export function versionColumns({
  view,
  module,
  now,
}: Pick<ModuleShown, 'view' | 'module' | 'now'>): readonly Column<ModuleVersion>[] {
  const path = modulePath(view, module)
  return [
    {
      name: 'version',
      label: 'Version',
      cell: ({ version, archive, deprecation }) => (
        <>
          <a class="mono" href={withQuery(path, { version })}>
            {version}
          </a>{' '}
          {archive === undefined && <span class="chip warn">archive not uploaded</span>}
          {deprecation !== undefined && (
            <>
              <span class="chip warn">deprecated</span>
              <div class="faint wraps">{deprecation.reason}</div>
            </>
          )}
        </>
      ),
      value: ({ version }) => version,
      // As text, 1.10.0 would come before 1.9.0. The list itself is in order.
      isSortable: false,
    },
    {
      name: 'publishedAt',
      label: 'Published',
      cell: (version) => <Ago at={publishedAt(version) ?? version.createdAt} now={now} />,
      value: (version) => new Date(publishedAt(version) ?? version.createdAt).toISOString(),
    },
    {
      name: 'by',
      label: 'By',
      cell: ({ createdBy }) => sayPrincipal(createdBy),
      value: ({ createdBy }) => createdBy,
    },
    {
      name: 'bytes',
      label: 'Archive',
      isNumber: true,
      cell: ({ archive }) => archive && bytes(archive.size),
      value: ({ archive }) => archive?.size ?? null,
    },
  ]
}

export const VERSION_EXPORTS: readonly Pick<Column<ModuleVersion>, 'name' | 'value'>[] = [
  { name: 'sha256', value: ({ archive }) => archive?.sha256 ?? null },
  { name: 'deprecated', value: ({ deprecation }) => deprecation?.reason ?? null },
]

/** Only shown: it has nothing to export. */
function deleteColumn({ view, module, faults }: ModuleShown): Column<ModuleVersion> {
  const path = modulePath(view, module)
  return {
    name: 'delete',
    label: 'Delete',
    cell: ({ version }) => (
      <Confirm
        view={view}
        action={`${path}/versions/${encodeURIComponent(version)}/delete`}
        label={`Delete ${version}`}
        word={version}
        id={confirmId(version)}
        faults={faults}
      >
        <p>Code that is pinned to this version cannot be initialized again.</p>
      </Confirm>
    ),
    value: () => null,
  }
}

export function ModuleVersions(shown: ModuleShown) {
  const { view, module, versions, asked } = shown
  return (
    <Card>
      <List
        path={withQuery(modulePath(view, module), { tab: 'versions' })}
        caption="Versions"
        list={arrange(versions, versionColumns(shown), asked)}
        actions={view.may('registry:publish') ? [deleteColumn(shown)] : []}
        empty="No version was published yet."
      />
    </Card>
  )
}
