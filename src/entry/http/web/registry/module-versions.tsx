import { sayPrincipal } from '../../../../base/text/author.ts'
import { bytes } from '../../../../base/text/bytes.ts'
import { type ModuleVersion, publishedAt } from '../../../../registry/index.ts'
import { withQuery } from '../shell/addresses.ts'
import { Ago, Card } from '../shell/parts.tsx'
import { type Column, DataTable, ListFooter, pageOf } from '../shell/table.tsx'
import { ConfirmDelete } from './confirm.tsx'
import { modulePath } from './frame.tsx'
import type { ModuleShown } from './module-shown.ts'

const PAGE_SIZE = 50

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
          {archive === undefined && <span class="chip warn">waits for its archive</span>}
          {deprecation !== undefined && (
            <>
              <span class="chip warn">deprecated</span>
              <div class="faint wraps">{deprecation.reason}</div>
            </>
          )}
        </>
      ),
      value: ({ version }) => version,
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
      <ConfirmDelete
        view={view}
        action={`${path}/versions/${encodeURIComponent(version)}/delete`}
        what={version}
        name={version}
        faults={faults}
      >
        <p>Code that is pinned to this version cannot be initialized again.</p>
      </ConfirmDelete>
    ),
    value: () => null,
  }
}

export function ModuleVersions(shown: ModuleShown) {
  const { view, versions, page } = shown
  const { items, paging } = pageOf(versions, page, PAGE_SIZE)
  const columns = [...versionColumns(shown), ...(view.may('registry:publish') ? [deleteColumn(shown)] : [])]
  return (
    <Card>
      {versions.length === 0 ? (
        <p class="muted">No version was published yet.</p>
      ) : (
        <>
          <DataTable path={view.path} caption="Versions" columns={columns} items={items} />
          <ListFooter path={view.path} paging={paging} />
        </>
      )}
    </Card>
  )
}
