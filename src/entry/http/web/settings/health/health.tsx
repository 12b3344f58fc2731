import { z } from 'zod'
import type { Caller } from '../../../../../access/index.ts'
import { isTacoError } from '../../../../../base/errors.ts'
import type { CheckSubject, Finding } from '../../../../../health/index.ts'
import type { Exchange } from '../../../kit/exchange.ts'
import { seeOther } from '../../../kit/response/redirect.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { orgForm, orgPage } from '../../org-page.ts'
import type { WebServices } from '../../services.ts'
import { withQuery } from '../../shell/addresses.ts'
import { checkConfirmed } from '../../shell/confirm.tsx'
import { ExportFormat, exported } from '../../shell/export.ts'
import { type Faults, faultsAt } from '../../shell/faults.ts'
import { setFlash } from '../../shell/flash.ts'
import { Command, Split } from '../../shell/parts.tsx'
import { htmlReply, partReply } from '../../shell/render.ts'
import { pageOf } from '../../shell/table.tsx'
import type { OrgView } from '../../shell/view.ts'
import { SettingsFrame, settingsPath } from '../frame.tsx'
import { AuditPart, BucketCard, CheckForms, ServersCard } from './cards.tsx'
import { CheckPart, levelsIn } from './check-part.tsx'
import { type ShownFinding, findingColumns, levelOf } from './findings.tsx'

const path = '/settings/health'
const PAGE_SIZE = 50
const BUCKET: CheckSubject = { kind: 'bucket' }

const Query = z.object({
  level: z.string().default('').catch(''),
  page: z.coerce.number().int().default(1).catch(1),
  part: z.enum(['check', 'audit']).optional().catch(undefined),
  format: ExportFormat.catch(undefined),
})

interface Request {
  readonly params: { readonly org: string }
  readonly view: OrgView
  readonly x: Exchange
  readonly caller: Caller
}

async function healthPage(
  request: Request,
  services: WebServices,
  query: z.infer<typeof Query>,
  faults: Faults = {},
) {
  const {
    params: { org },
    view,
    x,
  } = request
  const { health, clock } = services
  const { allowed: isAdministrator } = await services.access.decide(x.principal, 'server:admin', {})
  const check = await health.checks.show(BUCKET)
  const all = await visibleFindings(check?.report?.findings ?? [], isAdministrator, request, services)
  const levels = levelsIn(query.level)
  const wanted = all.filter((one) => levels.includes(levelOf(one)))
  if (query.format !== undefined) return exported(query.format, 'findings', findingColumns(view), wanted)
  const now = clock.now()
  const { items: findings, paging } = pageOf(wanted, query.page, PAGE_SIZE)
  const here = withQuery(settingsPath(view, 'health'), { level: query.level })
  const part = (
    <CheckPart
      view={view}
      path={here}
      now={now}
      check={check}
      findings={findings}
      counts={countsOf(all)}
      level={query.level}
      paging={paging}
    />
  )
  if (query.part === 'check') return partReply(part)
  const mayVerify = view.may('audit:read')
  const [bucket, servers, audit] = await Promise.all([
    health.bucket(),
    health.servers.list(),
    mayVerify ? health.checks.show({ kind: 'audit', org }) : undefined,
  ])
  const auditPart = mayVerify && <AuditPart view={view} now={now} check={audit} />
  if (query.part === 'audit') return partReply(<>{auditPart}</>)
  return htmlReply(
    <SettingsFrame view={view} tab="health">
      <Split
        side={
          <>
            <BucketCard bucket={bucket} now={now} />
            {isAdministrator && <CheckForms view={view} faults={faults} />}
            {auditPart}
            <Command>taco doctor</Command>
            {isAdministrator && <Command>taco server ls</Command>}
          </>
        }
      >
        <ServersCard servers={servers} now={now} isDetailed={isAdministrator} path={here} />
        {part}
      </Split>
    </SettingsFrame>,
    Object.keys(faults).length > 0 ? 400 : 200,
  )
}

/**
 * Administrators of the server see everything. Others see what is about the bucket itself, and about units of this
 * organization that they may see.
 */
async function visibleFindings(
  all: readonly Finding[],
  isAdministrator: boolean,
  { params: { org }, caller }: Request,
  { control }: WebServices,
): Promise<readonly ShownFinding[]> {
  const visible = await control.units.visible(org, caller)
  const names = visible && new Set([...visible.values()].map(({ name }) => name))
  const isOwn = ({ unit }: Finding) => names === undefined || (unit !== null && names.has(unit))
  const isShown = (one: Finding) =>
    isAdministrator || (one.org === null ? one.check.startsWith('bucket.') : one.org === org && isOwn(one))
  return all.filter(isShown).map((one) => ({
    ...one,
    otherOrg: one.org === null || one.org === org ? null : control.orgNames.nameOf(one.org),
  }))
}

function countsOf(all: readonly ShownFinding[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const one of all) counts[levelOf(one)] = (counts[levelOf(one)] ?? 0) + 1
  return counts
}

const deep = z
  .string()
  .optional()
  .transform((value) => value === 'on')

/** Another one that runs is shown: nothing else is to be done. */
async function start(
  { view, x, caller }: Request,
  { health, cookies }: WebServices,
  subject: CheckSubject,
  options: { readonly deep: boolean; readonly repair: boolean },
) {
  try {
    await health.checks.start(subject, options, caller)
    setFlash(x, cookies, { kind: 'ok', text: 'It runs in the background. You can leave this page.' })
  } catch (error) {
    if (!isTacoError(error, 'CONFLICT')) throw error
    setFlash(x, cookies, { kind: 'warn', text: error.message })
  }
  return seeOther(settingsPath(view, 'health'))
}

export const healthRoutes: readonly Route[] = [
  orgPage({
    path,
    id: 'showHealth',
    action: 'org:admin',
    summary: 'The health of the bucket and the servers, and what the last check found',
    query: Query,
    handle: (request, services) => healthPage(request, services, request.query),
  }),
  orgForm({
    path: `${path}/check`,
    id: 'startCheckByForm',
    action: 'org:admin',
    ofServer: ['server:admin'],
    summary: 'Check the bucket in the background',
    fields: { deep },
    handle: (request, services) =>
      start(request, services, BUCKET, { deep: request.body.deep, repair: false }),
  }),
  orgForm({
    path: `${path}/repair`,
    id: 'startRepairByForm',
    action: 'org:admin',
    ofServer: ['server:admin'],
    summary: 'Check the bucket in the background, and repair what can be repaired',
    fields: { deep, confirm: z.string().trim().default('') },
    handle(request, services) {
      const { deep: isDeep, confirm } = request.body
      try {
        checkConfirmed(confirm, 'repair')
      } catch (error) {
        return healthPage(request, services, Query.parse({}), faultsAt(error, ['confirm']))
      }
      return start(request, services, BUCKET, { deep: isDeep, repair: true })
    },
  }),
  orgForm({
    path: `${path}/audit`,
    id: 'startAuditCheckByForm',
    action: 'org:admin',
    also: ['audit:read'],
    summary: 'Compare the audit log with its seals in the background',
    fields: {},
    handle: (request, services) =>
      start(request, services, { kind: 'audit', org: request.params.org }, { deep: false, repair: false }),
  }),
]
