import { z } from 'zod'
import { visibleDependencies, visibleGraph } from '../../../../../graph/index.ts'
import type { Caller } from '../../../../../state/index.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { UnitParams } from '../../../openapi/api.ts'
import { orgPage } from '../../org-page.ts'
import type { WebServices } from '../../services.ts'
import { unitPath } from '../../shell/addresses.ts'
import { shell } from '../../shell/command-line.ts'
import { Card, Command, Split } from '../../shell/parts.tsx'
import { addressOf } from '../../shell/server-address.ts'
import { lookOf, lookWords } from '../../shell/status.tsx'
import { type UnitPage, UnitPartName, liveUnitReply, openUnit } from '../frame.tsx'
import { type ListedVersions, listVersions } from '../history/changes.tsx'
import { Around } from './around.tsx'
import { BackendBlocks } from './backend-blocks.tsx'
import { Latest } from './latest.tsx'
import { type Neighbours, neighboursOf } from './neighbours.ts'
import { StateCard } from './state-card.tsx'
import { LockNotice, type Work, workOn } from './work.tsx'
import { type ValueChange, WhyCard, valueChanges } from './why-card.tsx'

const LATEST = 5

/** Events of these kinds can change what the overview shows. */
const LIVE = 'state. lock. unit. dependencies. rollout. step.'

export const overviewRoutes: readonly Route[] = [
  orgPage({
    path: '/units/{unit}',
    params: UnitParams.shape,
    id: 'showUnit',
    action: 'unit:read',
    summary: 'A unit',
    query: z.object({ part: UnitPartName }),
    // Values of outputs, though not those of sensitive ones.
    isSecret: true,
    async handle(request, services) {
      const { caller, x, query } = request
      const page = await openUnit(request, services)
      const overview = await gatherOverview(page, services, caller)
      const address = addressOf(x, services.publicUrl)
      const { auth, clock } = services
      const content = (
        <Content page={page} overview={overview} address={address} auth={auth} now={clock.now()} />
      )
      return liveUnitReply(query.part, { of: page, live: LIVE, children: content })
    },
  }),
]

interface Overview {
  /** Undefined: the person may not read the graph. */
  readonly neighbours: Neighbours | undefined
  readonly values: readonly ValueChange[]
  readonly work: Work | undefined
  /** Undefined: the person may not see versions. */
  readonly versions: ListedVersions | undefined
  /** The key of the state as S3 clients name it. Undefined: they cannot. */
  readonly key: string | undefined
}

/** Everything that the overview shows, as far as the person may see it. */
async function gatherOverview(page: UnitPage, services: WebServices, caller: Caller): Promise<Overview> {
  const { view, ref, unit, seen } = page
  const { control, graph } = services
  const mayReadGraph = view.may('graph:read', unit)
  const [dependencies, around, versions, org, values, work] = await Promise.all([
    mayReadGraph ? graph.dependencies.list(ref, caller) : undefined,
    mayReadGraph ? graph.view({ org: ref.org }, caller) : undefined,
    view.may('versions:read', unit) ? listVersions(page, { limit: LATEST }, services, caller) : undefined,
    control.orgs.get(ref.org, caller),
    valueChanges(page, services, caller),
    workOn(page, services, caller),
  ])
  return {
    neighbours:
      dependencies &&
      around &&
      neighboursOf(visibleDependencies(dependencies, seen), visibleGraph(around, seen).nodes),
    values,
    work,
    versions,
    key: unit.key.startsWith(org.folder) ? unit.key.slice(org.folder.length) : undefined,
  }
}

interface ContentProps {
  readonly page: UnitPage
  readonly overview: Overview
  /** Of the server. */
  readonly address: string
  readonly auth: WebServices['auth']
  readonly now: number
}

function Content({ page, overview, address, auth, now }: ContentProps) {
  const { view, unit } = page
  const { name: org } = view.org
  const { neighbours, values, work, versions, key } = overview
  return (
    <Split
      side={
        <>
          <StateCard page={page} now={now} />
          <Card title="Use it in code">
            <BackendBlocks auth={auth} address={address} org={org} unit={unit.name} stateKey={key} />
          </Card>
          <Command>{shell`taco unit show ${unit.name}`}</Command>
        </>
      }
    >
      <LockNotice page={page} now={now} />
      <WhyCard page={page} values={values} work={work} now={now} />
      {neighbours !== undefined && <DependencyCard page={page} neighbours={neighbours} />}
      {versions !== undefined && versions.items.length > 0 && (
        <Latest page={page} listed={versions} now={now} />
      )}
    </Split>
  )
}

interface DependencyCardProps {
  readonly page: UnitPage
  readonly neighbours: Neighbours
}

function DependencyCard({ page: { view, unit, status }, neighbours }: DependencyCardProps) {
  const { base } = view.org
  const { uses, usedBy } = neighbours
  const isAlone = uses.length + usedBy.length === 0
  const of = {
    name: unit.name,
    look: status === undefined ? ('unknown' as const) : lookOf(status),
    words: status === undefined ? 'unknown' : lookWords(status),
  }
  return (
    <Card title="Dependencies">
      {isAlone ? (
        <p class="muted">It uses no unit, and no unit uses it.</p>
      ) : (
        <Around of={neighbours} unit={of} base={base} />
      )}
      <p class="more">
        <a href={unitPath(base, unit.name, 'dependencies')}>
          {isAlone && view.may('graph:write', unit)
            ? 'Declare what it uses'
            : `Details: uses ${uses.length}, used by ${usedBy.length}`}
        </a>
      </p>
    </Card>
  )
}
