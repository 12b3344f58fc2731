import type { Child } from 'hono/jsx'
import type { Action, Resource } from '../../../../access/index.ts'
import { type StatusItem, visibleStatus } from '../../../../graph/index.ts'
import { type Caller, type UnitRef, type UnitView, noSuchUnit } from '../../../../state/index.ts'
import { visibleUnit } from '../../kit/visible-units.ts'
import type { WebServices } from '../services.ts'
import { unitPath } from '../shell/addresses.ts'
import { Layout } from '../shell/layout.tsx'
import { Crumbs, Tabs } from '../shell/parts.tsx'
import { StatusChip } from '../shell/status.tsx'
import type { OrgView } from '../shell/view.ts'

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
  return { view, ref, unit: { ...found, ...visibleUnit(found, visible) }, status, seen }
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
  { label: 'Variables', tab: 'variables', action: 'vars:read' },
  { label: 'Activity', tab: 'activity', action: 'events:read' },
  { label: 'Settings', tab: 'settings', action: 'unit:read' },
]

interface UnitFrameProps {
  readonly of: UnitPage
  /** The tab that it belongs to. Undefined: the overview. */
  readonly tab?: string
  readonly scripts?: readonly string[]
  readonly actions?: Child
  readonly children?: Child
}

/** The frame of all pages of a unit: where it is, its status, and the tabs. */
export function UnitFrame({ of, tab, scripts = [], actions, children }: UnitFrameProps) {
  const { view, unit, status } = of
  const { base } = view.org
  const current = TABS.find((one) => one.tab === tab)
  const title = tab === undefined ? unit.name : `${current?.label ?? ''} of ${unit.name}`
  return (
    <Layout view={view} title={title} scripts={scripts}>
      <Crumbs org={view.org} unit={unit.name} />
      <div class="bar">
        <h1>{unit.name.split('/').at(-1)}</h1>
        {status !== undefined && <StatusChip node={status} />}
        {actions !== undefined && <div class="bar end">{actions}</div>}
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
    </Layout>
  )
}
