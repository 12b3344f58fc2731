import { z } from 'zod'
import { isTacoError } from '../../../../../base/errors.ts'
import { sayAuthor } from '../../../../../base/text/author.ts'
import type { Caller, OutputsCommitView } from '../../../../../state/index.ts'
import { defined } from '../../../kit/drop-undefined.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { UnitParams } from '../../../openapi/api.ts'
import { orgPage } from '../../org-page.ts'
import type { WebServices } from '../../services.ts'
import { unitPath, withQuery } from '../../shell/addresses.ts'
import { shell } from '../../shell/command-line.ts'
import { ExportFormat, exported } from '../../shell/export.ts'
import { Ago, Card, Command, Empty } from '../../shell/parts.tsx'
import { htmlReply } from '../../shell/render.ts'
import { type Column, CursorFooter, DataTable } from '../../shell/table.tsx'
import { type UnitPage, openUnit } from '../frame.tsx'
import { OutputsFrame } from './outputs-page.tsx'

const PAGE_SIZE = 25
const READ_AT_ONCE = 1000
const MOST_NAMED = 6

export const commitRoutes: readonly Route[] = [
  orgPage({
    path: '/units/{unit}/outputs/log',
    params: UnitParams.shape,
    id: 'showUnitOutputsCommits',
    action: 'outputs:read',
    summary: 'The commits of the outputs of a unit',
    query: z.object({ cursor: z.string().optional(), format: ExportFormat.catch(undefined) }),
    async handle(request, services) {
      const { query, caller, view } = request
      const page = await openUnit(request, services)
      const columns = columnsOf(page)
      if (query.format !== undefined) {
        const all: OutputsCommitView[] = []
        let next: string | undefined
        do {
          const asked = { limit: READ_AT_ONCE, ...defined({ cursor: next }) }
          const part = await commits(page, asked, services, caller)
          all.push(...(part?.items ?? []))
          next = part?.next
        } while (next !== undefined)
        return exported(query.format, 'outputs-commits', columns, all)
      }
      const asked = { limit: PAGE_SIZE, ...defined({ cursor: query.cursor }) }
      const found = await commits(page, asked, services, caller)
      return htmlReply(
        <OutputsFrame page={page} view="commits">
          {found === undefined || found.items.length === 0 ? (
            <Empty title="No commits">
              <p class="muted">
                {found === undefined
                  ? 'The state is encrypted, so it is unknown when its outputs changed.'
                  : 'The unit had no outputs yet.'}
              </p>
            </Empty>
          ) : (
            <Card>
              <p class="muted">
                Each write that changes an output makes a commit. Other writes keep the number, so a unit that
                read at this commit is still up to date.
              </p>
              <DataTable path={view.path} caption="Commits" columns={columns} items={found.items} />
              <CursorFooter path={view.path} next={found.next} />
            </Card>
          )}
          <Command>{shell`taco outputs log ${page.unit.name}`}</Command>
        </OutputsFrame>,
      )
    },
  }),
]

/** Undefined: they cannot be known. */
async function commits(
  { ref }: UnitPage,
  asked: { readonly limit: number; readonly cursor?: string },
  { control }: WebServices,
  caller: Caller,
) {
  try {
    return await control.outputs.log(ref, asked, caller)
  } catch (error) {
    if (!isTacoError(error, 'STATE_ENCRYPTED')) throw error
    return undefined
  }
}

function columnsOf({ view, unit }: UnitPage): readonly Column<OutputsCommitView>[] {
  const path = unitPath(view.org.base, unit.name, 'outputs')
  return [
    {
      name: 'commit',
      label: 'Commit',
      isNumber: true,
      cell: ({ commit }) => <a href={withQuery(path, { commit: String(commit) })}>{commit}</a>,
      value: ({ commit }) => commit,
    },
    { name: 'at', label: 'When', cell: ({ at }) => <Ago at={at} now={view.now} />, value: ({ at }) => at },
    { name: 'by', label: 'By', cell: sayAuthor, value: ({ by }) => by },
    {
      name: 'changed',
      label: 'Changed',
      cell: ({ changed, commit }) => (
        <a
          class="mono"
          href={withQuery(`${path}/diff`, { from: String(commit - 1), to: String(commit) })}
          title="Show what changed"
        >
          {changed.slice(0, MOST_NAMED).join(', ')}
          {changed.length > MOST_NAMED && ` and ${changed.length - MOST_NAMED} more`}
        </a>
      ),
      value: ({ changed }) => changed.join(' '),
    },
    {
      name: 'version',
      label: 'Version',
      isNumber: true,
      cell: ({ seq }) => seq,
      value: ({ seq }) => seq,
    },
  ]
}
