import { z } from 'zod'
import { isTacoError } from '../../../../base/errors.ts'
import type { GcOptions, RemovedOfUnit } from '../../../../state/index.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { seeOther } from '../../kit/response/redirect.ts'
import type { Route } from '../../kit/routes/route.ts'
import { orgForm, orgPage } from '../org-page.ts'
import type { WebServices } from '../services.ts'
import { checkConfirmed } from '../shell/confirm.tsx'
import { type Faults, faultsAt } from '../shell/faults.ts'
import { setFlash } from '../shell/flash.ts'
import { htmlReply } from '../shell/render.ts'
import type { OrgView } from '../shell/view.ts'
import { settingsPath } from './frame.tsx'
import { type RetentionInput, retentionFields, retentionInputOf, rulesIn } from './retention-form.ts'
import { type Preview, RetentionPage, removedWords } from './retention-page.tsx'

interface Request {
  readonly org: string
  readonly view: OrgView
  readonly x: Exchange
}

interface Shown {
  readonly input?: RetentionInput
  readonly etag?: string
  readonly preview?: Preview
  readonly faults?: Faults
  readonly isRace?: boolean
}

const FIELDS = ['count', 'days', 'eventDays'] as const
/** Units of a preview that are named. */
const MOST_NAMED = 20

async function retentionPage({ org, view, x }: Request, services: WebServices, shown: Shown = {}) {
  const now = await services.control.orgs.get(org, x.caller)
  const { input = retentionInputOf(now), etag = now.etag, preview, faults = {}, isRace = false } = shown
  const props = { view, now, input, etag, preview, faults, isRace }
  const status = isRace ? 409 : Object.keys(faults).length > 0 ? 400 : 200
  return htmlReply(<RetentionPage {...props} />, status)
}

/** What would go, in all, and of which units most. */
async function previewOf(
  { org, x }: Pick<Request, 'org' | 'x'>,
  asIf: NonNullable<GcOptions['asIf']>,
  { control }: WebServices,
): Promise<Preview> {
  const removed: RemovedOfUnit[] = []
  const caller = { ...x.caller, signal: x.signal }
  const onUnit = (one: RemovedOfUnit) => void removed.push(one)
  const report = await control.upkeep.gc({ org, dryRun: true, asIf, onUnit }, caller)
  const usages = await control.orgs.usageByUnit(org, caller)
  const names = new Map(usages.map(({ id, name }) => [id, name]))
  const units = removed.flatMap((one) => {
    const name = names.get(one.id)
    return name === undefined ? [] : [{ ...one, name }]
  })
  const largest = units.toSorted((a, b) => b.bytesDeleted - a.bytesDeleted || (a.name < b.name ? -1 : 1))
  return { report, units: largest.slice(0, MOST_NAMED), more: Math.max(0, units.length - MOST_NAMED) }
}

export const retentionRoutes: readonly Route[] = [
  orgPage({
    path: '/settings/retention',
    id: 'showRetention',
    action: 'org:read',
    summary: 'How long versions and events are kept',
    handle: ({ params: { org }, view, x }, services) => retentionPage({ org, view, x }, services),
  }),
  orgForm({
    path: '/settings/retention',
    id: 'changeRetention',
    action: 'org:admin',
    summary: 'Change how long versions and events are kept, or preview the change',
    fields: {
      ...retentionFields,
      /** Of the organization when the page was shown. */
      etag: z.string().default(''),
      /** `preview`: nothing is saved. */
      do: z.enum(['save', 'preview']).default('save'),
    },
    async handle({ params: { org }, body, view, x, caller }, services) {
      const { etag, do: wanted, ...input } = body
      const request = { org, view, x }
      try {
        const rules = rulesIn(input)
        if (wanted === 'preview') {
          const preview = await previewOf(request, rules, services)
          return await retentionPage(request, services, { input, etag, preview })
        }
        await services.control.orgs.update(org, rules, caller, [etag])
      } catch (error) {
        if (isTacoError(error, 'PRECONDITION_FAILED'))
          return retentionPage(request, services, { input, isRace: true })
        return retentionPage(request, services, { input, etag, faults: faultsAt(error, FIELDS) })
      }
      setFlash(x, services.cookies, {
        kind: 'ok',
        text: 'Saved. Servers remove what is too old by themselves.',
      })
      return seeOther(settingsPath(view, 'retention'))
    },
  }),
  orgForm({
    path: '/settings/retention/apply',
    id: 'applyRetention',
    action: 'org:admin',
    summary: 'Apply retention now',
    fields: { confirm: z.string().trim().default('') },
    async handle({ params: { org }, body, view, x, caller }, services) {
      const { name } = await services.control.orgs.get(org, caller)
      try {
        checkConfirmed(body.confirm, name)
      } catch (error) {
        return retentionPage({ org, view, x }, services, { faults: faultsAt(error, ['confirm']) })
      }
      const report = await services.control.upkeep.gc({ org, dryRun: false }, { ...caller, signal: x.signal })
      setFlash(x, services.cookies, { kind: 'ok', text: `Removed: ${removedWords(report)}.` })
      return seeOther(settingsPath(view, 'retention'))
    },
  }),
]
