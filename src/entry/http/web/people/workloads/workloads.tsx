import { z } from 'zod'
import { partEtag } from '../../../../../access/index.ts'
import { isTacoError } from '../../../../../base/errors.ts'
import { deleteWorkload, storeWorkload } from '../../../kit/access/workloads.ts'
import type { Exchange } from '../../../kit/exchange.ts'
import { seeOther } from '../../../kit/response/redirect.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { orgForm, orgPage } from '../../org-page.ts'
import type { WebServices } from '../../services.ts'
import { checkConfirmed } from '../../shell/confirm.tsx'
import { exported } from '../../shell/export.ts'
import { type Faults, faultsAt } from '../../shell/faults.ts'
import { setFlash } from '../../shell/flash.ts'
import { ListQuery, arrange } from '../../shell/list.tsx'
import { htmlReply } from '../../shell/render.ts'
import type { OrgView } from '../../shell/view.ts'
import { peoplePath } from '../frame.tsx'
import { rolesIn } from '../tables.tsx'
import { NEW_WORKLOAD, type WorkloadInput, parseWorkload, workloadInputOf } from './workload-form.ts'
import { WorkloadsPage, workloadColumns } from './workloads-page.tsx'

const text = z.string().trim().default('')
const many = z
  .union([z.string(), z.array(z.string())])
  .default([])
  .transform((given) => (typeof given === 'string' ? [given] : given))
const FIELDS = [
  'name',
  'issuer',
  'audience',
  'claims',
  'roles',
  'role',
  'units',
  'actions',
  'minutes',
] as const

interface Request {
  readonly org: string
  readonly view: OrgView
  readonly x: Exchange
}

interface Shown extends Partial<z.output<typeof ListQuery>> {
  /** The name of the rule that is changed. Empty: a new one. */
  readonly edit?: string
  readonly input?: WorkloadInput
  /** Of the rule that the person began to change. Undefined: as it is now. */
  readonly etag?: string
  readonly faults?: Faults
  readonly isOvertaken?: boolean
}

async function workloadsPage({ org, view, x }: Request, services: WebServices, shown: Shown) {
  const { format, edit = '', faults = {}, isOvertaken = false } = shown
  const policy = await services.orgAccess.get(org, x.caller)
  const list = arrange(policy.workloads, workloadColumns, shown)
  if (format !== undefined) return exported(format, 'workloads', workloadColumns, list.found)
  const edited = policy.workloads.find(({ name }) => name === edit)
  const input = shown.input ?? (edited === undefined ? NEW_WORKLOAD : workloadInputOf(edited))
  const status = isOvertaken ? 409 : Object.keys(faults).length === 0 ? 200 : 400
  return htmlReply(
    <WorkloadsPage
      view={view}
      list={list}
      roles={rolesIn(policy.roles).map(({ name }) => name)}
      edited={edited}
      etag={shown.etag ?? partEtag(edited)}
      input={input}
      faults={faults}
      isOvertaken={isOvertaken}
      audience={services.publicUrl}
    />,
    status,
  )
}

export const workloadRoutes: readonly Route[] = [
  orgPage({
    path: '/people/workloads',
    id: 'showWorkloads',
    action: 'access:read',
    summary: 'The rules by which jobs get tokens',
    query: z.object({
      edit: text.catch(''),
      ...ListQuery.shape,
    }),
    handle: ({ params: { org }, query, view, x }, services) =>
      workloadsPage({ org, view, x }, services, query),
  }),
  orgForm({
    path: '/people/workloads',
    id: 'storeWorkloadByForm',
    action: 'token:manage',
    summary: 'Create or change a rule by which jobs get tokens',
    fields: {
      was: text,
      etag: text,
      name: text,
      issuer: text,
      audience: text,
      claims: text,
      roles: many,
      units: text,
      actions: text,
      minutes: text,
    },
    async handle({ params: { org }, body, view, x, caller }, services) {
      const { was, etag, ...typed } = body
      const input = { ...typed, name: was === '' ? typed.name : was }
      const { rule, faults } = parseWorkload(input)
      const shown = { edit: was, input }
      if (rule === undefined) return workloadsPage({ org, view, x }, services, { ...shown, etag, faults })
      try {
        await storeWorkload(services, org, rule, caller, etag)
      } catch (error) {
        if (isTacoError(error, 'PRECONDITION_FAILED')) {
          const race = was === '' ? { faults: { name: error.message } } : { isOvertaken: true }
          return workloadsPage({ org, view, x }, services, { ...shown, ...race })
        }
        return workloadsPage({ org, view, x }, services, { ...shown, etag, faults: faultsAt(error, FIELDS) })
      }
      setFlash(x, services.cookies, { kind: 'ok', text: `The workload rule ${rule.name} was saved.` })
      return seeOther(peoplePath(view, 'workloads'))
    },
  }),
  orgForm({
    path: '/people/workloads/{rule}/delete',
    params: { rule: z.string() },
    id: 'deleteWorkloadByForm',
    action: 'token:manage',
    summary: 'Delete a rule by which jobs get tokens',
    fields: { confirm: text },
    async handle({ params: { org, rule }, body, view, x, caller }, services) {
      try {
        checkConfirmed(body.confirm, rule)
      } catch (error) {
        return workloadsPage({ org, view, x }, services, { edit: rule, faults: faultsAt(error, ['confirm']) })
      }
      await deleteWorkload(services, org, rule, caller)
      setFlash(x, services.cookies, { kind: 'ok', text: `The workload rule ${rule} was deleted.` })
      return seeOther(peoplePath(view, 'workloads'))
    },
  }),
]
