import { z } from 'zod'
import type { OutputView, OutputsCommitView } from '../../../../../state/index.ts'
import { isTacoError } from '../../../../../base/errors.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { UnitParams } from '../../../openapi/api.ts'
import { orgForm, orgPage } from '../../org-page.ts'
import { ExportFormat, exported } from '../../shell/export.ts'
import { htmlReply } from '../../shell/render.ts'
import { openUnit } from '../frame.tsx'
import { OutputsPage, columnsOf, matching } from './outputs-page.tsx'
import { readersFor } from './readers.ts'

const path = '/units/{unit}/outputs'
const params = UnitParams.shape

export const outputRoutes: readonly Route[] = [
  orgPage({
    path,
    params,
    id: 'showUnitOutputs',
    action: 'outputs:read',
    summary: 'The outputs of a unit',
    // Values, though not those of sensitive outputs.
    isSecret: true,
    query: z.object({
      /** Default: the current one. */
      commit: z.coerce.number().int().min(1).optional().catch(undefined),
      search: z.string().default(''),
      format: ExportFormat.catch(undefined),
    }),
    async handle(request, services) {
      const { query, caller } = request
      const page = await openUnit(request, services)
      const asked = { sensitive: false, ...(query.commit === undefined ? {} : { commit: query.commit }) }
      const commit = await outputsOf(
        () => services.control.outputs.get(page.ref, asked, caller),
        query.commit,
      )
      const readers = await readersFor(page, services, caller)
      if (query.format !== undefined) {
        const found = matching(commit?.outputs ?? [], query.search)
        const columns = [...columnsOf(page, readers), SENSITIVE]
        return exported(query.format, 'outputs', columns, found)
      }
      const now = services.clock.now()
      return htmlReply(
        <OutputsPage page={page} commit={commit} readers={readers} search={query.search} now={now} />,
      )
    },
  }),
  orgForm({
    path,
    params,
    id: 'revealUnitOutputs',
    action: 'outputs:read',
    also: ['outputs:read-sensitive'],
    summary: 'Show the values of sensitive outputs of a unit, which is recorded',
    isSecret: true,
    fields: {},
    async handle(request, services) {
      const page = await openUnit(request, services)
      const commit = await outputsOf(() =>
        services.control.outputs.get(page.ref, { sensitive: true }, request.caller),
      )
      const readers = await readersFor(page, services, request.caller)
      return htmlReply(
        <OutputsPage
          page={page}
          commit={commit}
          readers={readers}
          search=""
          now={services.clock.now()}
          isRevealed
        />,
      )
    },
  }),
]

/** In exports only: the page masks the value. */
const SENSITIVE = { name: 'sensitive', value: ({ sensitive }: OutputView) => sensitive }

/** Undefined: it has no state. An earlier commit that does not exist is an error. */
async function outputsOf(
  read: () => Promise<OutputsCommitView>,
  commit?: number,
): Promise<OutputsCommitView | undefined> {
  try {
    return await read()
  } catch (error) {
    if (commit === undefined && isTacoError(error, 'NOT_FOUND', 'STATE_MISSING')) return undefined
    throw error
  }
}
