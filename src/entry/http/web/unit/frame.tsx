import type { Child } from 'hono/jsx'
import { z } from 'zod'
import type { Action, Resource } from '../../../../access/index.ts'
import { type StatusItem, visibleStatus } from '../../../../graph/index.ts'
import { type Caller, type UnitRef, type UnitView, noSuchUnit } from '../../../../state/index.ts'
import { visibleUnit } from '../../kit/visible-units.ts'
import type { WebServices } from '../services.ts'
import { unitPath, withQuery } from '../shell/addresses.ts'
import { InOrg } from '../shell/command-org.tsx'
import { Layout } from '../shell/layout.tsx'
import { Crumbs, Tabs } from '../shell/parts.tsx'
import { htmlReply, partReply } from '../shell/render.ts'
import { StatusChip } from '../shell/status.tsx'
import type { OrgView } from '../shell/view.ts'
import { isOwnLock } from './lock/own-lock.ts'

/** What a request for a page of a unit says. */
interface UnitRequest {
  readonly params: { readonly org: string; readonly unit: string }
  readonly target: Resource
  readonly caller: Caller
  readonly view: OrgView
}

/** A unit, and what every page of it shows. */
export interface UnitPage {
  readonly view: OrgView
  /** By id, so that everything on the page is about the same unit. */
  readonly ref: UnitRef
  readonly unit: UnitView
  /** Undefined: the person may not read the graph. */
  readonly status: StatusItem | undefined
  /** The units that the person may see. */
  readonly seen: { has(id: string): boolean }
  /** `lock`, `unlock`: the person may do that now. */
  readonly lockAction: 'lock' | 'unlock' | undefined
}

export async function openUnit(
  { params, target, caller, view }: UnitRequest,
  { control, graph }: WebServices,
): Promise<UnitPage> {
  const asked = { org: params.org, unit: target.unit ?? params.unit }
  const found = await control.units.get(asked, caller)
  if (found.deleted !== null) throw noSuchUnit(asked)
  const visible = await control.units.visible(params.org, caller)
  const seen = visible ?? { has: () => true }
  const ref = { org: params.org, unit: found.id }
  const isReader = view.may('graph:read', found)
  const all = isReader ? await graph.status({ ...ref, direction: 'none' }, caller) : undefined
  const status = all && visibleStatus(all, seen).items[0]
  const unit = { ...found, ...visibleUnit(found, visible) }
  return { view, ref, unit, status, seen, lockAction: lockActionOf(view, unit, caller) }
}

function lockActionOf(view: OrgView, unit: UnitView, caller: Caller): UnitPage['lockAction'] {
  if (!view.may('lock', unit)) return undefined
  if (unit.lock === null) return 'lock'
  return isOwnLock(unit.lock, caller) || view.may('unlock-others', unit) ? 'unlock' : undefined
}

interface TabPlace {
  readonly label: string
  /** After the address of the unit. Undefined: the unit itself. */
  readonly tab?: string
  /** Shown to those who may do this. */
  readonly action: Action
  readonly count?: (unit: UnitView) => number | null | undefined
}

const TABS: readonly TabPlace[] = [
  { label: 'Overview', action: 'unit:read' },
  { label: 'Outputs', tab: 'outputs', action: 'outputs:read', count: ({ outputs }) => outputs?.length },
  { label: 'Resources', tab: 'resources', action: 'state:read', count: ({ state }) => state?.resources },
  { label: 'History', tab: 'history', action: 'versions:read', count: ({ state }) => state?.seq },
  { label: 'Runs', tab: 'runs', action: 'rollout:read' },
  { label: 'Variables', tab: 'variables', action: 'vars:read' },
  { label: 'Activity', tab: 'activity', action: 'events:read' },
  { label: 'Access', tab: 'access', action: 'unit:read' },
  { label: 'Settings', tab: 'settings', action: 'unit:read' },
]

interface UnitFrameProps {
  readonly of: UnitPage
  /** The tab that it belongs to. Undefined: the overview. */
  readonly tab?: string
  /** Of the page. Default: that of its tab. */
  readonly title?: string
  /** Given: the page is shown again when an event has a type that begins with one of these words. */
  readonly live?: string
  readonly children?: Child
}

/** The frame of all pages of a unit: where it is, its status, and the tabs. */
export function UnitFrame(props: UnitFrameProps) {
  const { of, tab, live } = props
  const { view, unit } = of
  // The stream of events is for those who may read them.
  const isLive = live !== undefined && view.may('events:read', unit)
  const current = TABS.find((one) => one.tab === tab)
  const { title = current?.label ?? '' } = props
  return (
    <Layout
      view={view}
      title={tab === undefined ? unit.name : `${title} of ${unit.name}`}
      {...(isLive ? { live: '' } : {})}
    >
      <UnitPart {...props} />
    </Layout>
  )
}

/** A page that follows what happens, or with `part` only what it replaces. The query must take `part`. */
export function liveUnitReply(part: 'unit' | undefined, frame: UnitFrameProps & { readonly live: string }) {
  if (part === undefined) return htmlReply(<UnitFrame {...frame} />)
  return partReply(
    <InOrg view={frame.of.view}>
      <UnitPart {...frame} />
    </InOrg>,
  )
}

/** In the query of a live page. */
export const UnitPartName = z.enum(['unit']).optional().catch(undefined)

/** What a live page replaces: everything but the frame of the organization. */
function UnitPart({ of, tab, live, children }: UnitFrameProps) {
  const { view, unit, status, lockAction } = of
  const { base } = view.org
  const again =
    live === undefined
      ? {}
      : {
          'data-live-on': live,
          'data-live-unit': unit.id,
          'hx-get': withQuery(view.path, { part: 'unit' }),
          'hx-trigger': 'live',
          'hx-swap': 'outerMorph',
        }
  return (
    <div id="unit" {...again}>
      <Crumbs org={view.org} unit={unit.name} />
      <div class="bar unit-head">
        <h1>{unit.name.split('/').at(-1)}</h1>
        {status !== undefined && <StatusChip node={status} />}
        <div class="bar end">
          {lockAction !== undefined && (
            <a class="button" href={unitPath(base, unit.name, 'lock')}>
              {lockAction === 'lock' ? 'Lock' : 'Unlock'}
            </a>
          )}
          {view.may('rollout:start', unit) && (
            <a
              class={tab === undefined ? 'button primary' : 'button'}
              href={withQuery(`${base}/rollouts/new`, { from: unit.name })}
            >
              Roll out from here
            </a>
          )}
        </div>
      </div>
      {unit.description !== '' && <p class="muted">{unit.description}</p>}
      <Tabs
        label="Unit"
        tabs={TABS.filter(({ action }) => view.may(action, unit)).map((one) => ({
          label: one.label,
          href: unitPath(base, unit.name, one.tab),
          isCurrent: one.tab === tab,
          count: one.count?.(unit) ?? undefined,
        }))}
      />
      {children}
    </div>
  )
}
