import { z } from 'zod'
import { sayAuthor } from '../../../../../base/text/author.ts'
import { isTacoError } from '../../../../../base/errors.ts'
import type { Caller, VersionView } from '../../../../../state/index.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { UnitParams } from '../../../openapi/api.ts'
import { orgPage } from '../../org-page.ts'
import type { WebServices } from '../../services.ts'
import { unitPath, withQuery } from '../../shell/addresses.ts'
import { shell } from '../../shell/command-line.ts'
import { Card, Command, Time } from '../../shell/parts.tsx'
import { htmlReply } from '../../shell/render.ts'
import { UnitFrame, type UnitPage, openUnit } from '../frame.tsx'
import { CompareForm } from './compare-form.tsx'
import { DiffView } from './diff-view.tsx'
import { readDiff } from './read-diff.ts'

export const diffRoutes: readonly Route[] = [
  orgPage({
    path: '/units/{unit}/diff',
    params: UnitParams.shape,
    id: 'showUnitDiff',
    action: 'versions:read-state',
    summary: 'What differs between two versions of a unit',
    isSecret: true,
    query: z.object({ from: z.string().default('previous'), to: z.string().default('current') }),
    async handle(request, services) {
      const { query, caller, view } = request
      const page = await openUnit(request, services)
      const { versions } = services.control
      const [from, to] = await Promise.all([
        endOf(page, query.from, services, caller),
        endOf(page, query.to, services, caller),
      ])
      if ('fault' in from || 'fault' in to) {
        const faults = {
          ...('fault' in from ? { from: from.fault } : {}),
          ...('fault' in to ? { to: to.fault } : {}),
        }
        return htmlReply(
          <UnitFrame of={page} tab="history" title="Comparison">
            <div class="grid">
              <Card title="Compare two versions">
                <CompareForm page={page} from={query.from} to={query.to} faults={faults} />
              </Card>
            </div>
          </UnitFrame>,
          404,
        )
      }
      const diff = await readDiff(versions, page.ref, { from: from.id, to: to.id }, caller)
      const other = withQuery(unitPath(view.org.base, page.unit.name, 'diff'), {
        from: String(to.seq),
        to: String(from.seq),
      })
      return htmlReply(
        <UnitFrame of={page} tab="history" title="Comparison">
          <div class="grid">
            <Card title={`Version ${from.seq} and version ${to.seq}`}>
              <div class="sides">
                <SideOf version={from} />
                <SideOf version={to} />
              </div>
              <CompareForm page={page} from={String(from.seq)} to={String(to.seq)}>
                <a class="button" href={other}>
                  Swap
                </a>
                <a class="button" href={unitPath(view.org.base, page.unit.name, 'history')}>
                  All versions
                </a>
              </CompareForm>
            </Card>
            <DiffView diff={diff} page={page} from={from} to={to} />
            <Command>{shell`taco state diff ${page.unit.name} ${from.seq} ${to.seq}`}</Command>
          </div>
        </UnitFrame>,
      )
    },
  }),
]

/** The version, or what is wrong with its name. */
async function endOf(
  { ref }: UnitPage,
  name: string,
  { control }: WebServices,
  caller: Caller,
): Promise<VersionView | { readonly fault: string }> {
  try {
    return await control.versions.get(ref, name.trim(), caller)
  } catch (error) {
    if (!isTacoError(error, 'NOT_FOUND', 'BAD_REQUEST', 'GONE')) throw error
    return { fault: error.message }
  }
}

function SideOf({ version }: { readonly version: VersionView }) {
  return (
    <dl class="keyed">
      <dt>Version</dt>
      <dd class="num">
        {version.seq}, serial {version.serial}
      </dd>
      <dt>Written</dt>
      <dd>
        <Time at={version.at} /> by {sayAuthor(version)}
      </dd>
      {version.message !== null && (
        <>
          <dt>Message</dt>
          <dd>{version.message}</dd>
        </>
      )}
    </dl>
  )
}
