import type { DependenciesView, NodeView } from '../../../../graph/index.ts'
import { visibleDependencies, visibleGraph } from '../../../../graph/index.ts'
import type { Caller, VersionView } from '../../../../state/index.ts'
import { sayAuthor } from '../../../../base/text/author.ts'
import { bytes } from '../../../../base/text/bytes.ts'
import type { WebServices } from '../services.ts'
import { unitPath, withQuery } from '../shell/addresses.ts'
import { ADVICE } from '../shell/advice.ts'
import { Ago, Card, Command, Split, Time, Why, REACHABLE } from '../shell/parts.tsx'
import {
  type DrawnPicture,
  Picture,
  type PictureEdge,
  type PictureNode,
  drawPicture,
} from '../shell/picture.tsx'
import { Reasons } from '../shell/reasons.tsx'
import { LOOK_WORDS, lookOf, lookWords } from '../shell/status.tsx'
import { BackendBlocks } from './backend-blocks.tsx'
import { UnitFrame, type UnitPage } from './frame.tsx'
import { LockCard } from './lock.tsx'

/** So many units are drawn on each side. */
const MOST_DRAWN = 8
const LATEST = 5

interface Overview {
  readonly dependencies: DependenciesView | undefined
  readonly picture: DrawnPicture | undefined
  readonly versions: readonly VersionView[]
  /** The key of the state as S3 clients name it. Undefined: they cannot. */
  readonly key: string | undefined
}

/** Everything that the overview shows, as far as the person may see it. */
export async function gatherOverview(
  page: UnitPage,
  { control, graph }: WebServices,
  caller: Caller,
): Promise<Overview> {
  const { view, ref, unit, seen } = page
  const mayReadGraph = view.may('graph:read', unit)
  const [all, around, versions, org] = await Promise.all([
    mayReadGraph ? graph.dependencies.list(ref, caller) : undefined,
    mayReadGraph ? graph.view({ org: ref.org }, caller) : undefined,
    view.may('versions:read', unit) ? control.versions.list(ref, { limit: LATEST }, caller) : undefined,
    control.orgs.get(ref.org, caller),
  ])
  const dependencies = all && visibleDependencies(all, seen)
  const nodes = around === undefined ? [] : visibleGraph(around, seen).nodes
  return {
    dependencies,
    picture: dependencies && (await drawNeighbours(page, dependencies, nodes)),
    versions: versions?.items ?? [],
    key: unit.key.startsWith(org.folder) ? unit.key.slice(org.folder.length) : undefined,
  }
}

/** The unit between what it uses and what uses it. Undefined: it stands alone. */
async function drawNeighbours(
  { view, unit }: UnitPage,
  { uses, usedBy }: DependenciesView,
  nodes: readonly NodeView[],
): Promise<DrawnPicture | undefined> {
  if (uses.length + usedBy.length === 0) return undefined
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const boxOf = ({ id, name }: { readonly id: string; readonly name: string }): PictureNode => {
    const node = byId.get(id)
    const words = node === undefined ? 'no such unit' : lookWords(node)
    return {
      id,
      label: name,
      title: `${name}: ${words}`,
      look: node === undefined ? 'missing' : lookOf(node),
      href: unitPath(view.org.base, name),
      isSelected: id === unit.id,
    }
  }
  const edges: readonly PictureEdge[] = [
    ...uses.slice(0, MOST_DRAWN).map(({ on, outputs, state, changed }) => ({
      from: on.id,
      to: unit.id,
      label: labelOf(state === 'changed' ? changed : outputs),
      look: state === 'changed' ? ('stale' as const) : undefined,
    })),
    ...usedBy.slice(0, MOST_DRAWN).map(({ id, outputs, state }) => ({
      from: unit.id,
      to: id,
      label: labelOf(outputs),
      look: state === 'changed' ? ('stale' as const) : undefined,
    })),
  ]
  const shown = [
    ...uses.slice(0, MOST_DRAWN).map(({ on }) => boxOf(on)),
    boxOf(unit),
    ...usedBy.slice(0, MOST_DRAWN).map(boxOf),
  ]
  return drawPicture([...new Map(shown.map((box) => [box.id, box])).values()], edges)
}

function labelOf(outputs: readonly string[] | null): string {
  if (outputs === null) return 'all outputs'
  const [first = '', ...more] = outputs
  return more.length === 0 ? first : `${first} +${more.length}`
}

interface OverviewPageProps {
  readonly page: UnitPage
  readonly overview: Overview
  readonly caller: Caller
  /** Of the server. */
  readonly address: string
  readonly now: number
}

export function OverviewPage({ page, overview, caller, address, now }: OverviewPageProps) {
  const { view, unit, status } = page
  const { base, name: org } = view.org
  const { dependencies, picture, versions, key } = overview
  return (
    <UnitFrame of={page} scripts={picture === undefined ? [] : ['picture.js']}>
      <Split
        side={
          <>
            <StateCard page={page} now={now} />
            <LockCard of={page} caller={caller} now={now} />
            <BackendBlocks address={address} org={org} unit={unit.name} stateKey={key} />
            <Command>{`taco unit show ${unit.name}`}</Command>
          </>
        }
      >
        {status !== undefined && (
          <Card title={WHY_TITLES[lookOf(status)] ?? `Why it is ${LOOK_WORDS[lookOf(status)]}`}>
            {status.reasons.length > 0 && (
              <Why look={lookOf(status)}>
                <Reasons reasons={status.reasons} base={base} now={now} />
              </Why>
            )}
            <p class="muted">{ADVICE[lookOf(status)]}</p>
          </Card>
        )}
        {dependencies !== undefined && (
          <Card title="Dependencies">
            {picture === undefined ? (
              <p class="muted">It uses no unit, and no unit uses it.</p>
            ) : (
              <>
                <Picture of={picture} label={`What ${unit.name} uses, and what uses it`} />
                <Neighbours of={dependencies} base={base} unit={unit.name} />
              </>
            )}
          </Card>
        )}
        {versions.length > 0 && (
          <Latest
            versions={versions}
            path={unitPath(base, unit.name)}
            mayCompare={view.may('versions:read-state', unit)}
            now={now}
          />
        )}
      </Split>
    </UnitFrame>
  )
}

const WHY_TITLES: Readonly<Record<string, string>> = {
  ok: 'Status',
  never: 'Status',
  missing: 'Why its state is missing',
  fail: 'Why it failed',
  run: 'Running',
}

function StateCard({ page: { unit }, now }: { readonly page: UnitPage; readonly now: number }) {
  const { state, missing, labels } = unit
  return (
    <Card title="State">
      <dl class="keyed">
        {state === null ? (
          <>
            <dt>State</dt>
            <dd>{missing === null ? 'none yet' : 'missing'}</dd>
          </>
        ) : (
          <>
            <dt>Resources</dt>
            <dd class="num">{state.resources ?? 'encrypted'}</dd>
            <dt>Size</dt>
            <dd class="num">{bytes(state.size)}</dd>
            <dt>Version</dt>
            <dd class="num">
              {state.seq}, serial {state.serial}
            </dd>
            {state.terraformVersion !== null && (
              <>
                <dt>Engine</dt>
                <dd class="num">{state.terraformVersion}</dd>
              </>
            )}
            <dt>Written</dt>
            <dd>
              <Ago at={state.at} now={now} /> by {sayAuthor(state)}
            </dd>
          </>
        )}
        <dt>Key</dt>
        <dd class="mono">{unit.key}</dd>
        {Object.keys(labels).length > 0 && (
          <>
            <dt>Labels</dt>
            <dd class="mono">
              {Object.entries(labels)
                .map(([name, value]) => `${name}=${value}`)
                .join(' ')}
            </dd>
          </>
        )}
        <dt>Created</dt>
        <dd>
          <Time at={unit.createdAt} />
        </dd>
      </dl>
    </Card>
  )
}

interface NeighboursProps {
  readonly of: DependenciesView
  readonly base: string
  readonly unit: string
}

/** The same as the picture in words, and the units that it has no room for. */
function Neighbours({ of: { uses, usedBy }, base, unit }: NeighboursProps) {
  const link = (name: string) => (
    <a class="mono" href={unitPath(base, name)}>
      {name}
    </a>
  )
  const hidden = Math.max(0, uses.length - MOST_DRAWN) + Math.max(0, usedBy.length - MOST_DRAWN)
  return (
    <details class="more">
      <summary>
        Uses {uses.length}, used by {usedBy.length}
        {hidden > 0 && `; ${hidden} more than drawn`}
      </summary>
      <ul class="units">
        {uses.map(({ on, outputs, read, state, changed }) => (
          <li>
            uses {link(on.name)} <span class="mono faint">{outputs?.join(', ') ?? 'all outputs'}</span>{' '}
            <span class="muted">
              {read === null ? 'not read yet' : `read at commit ${read.commit}`}
              {state === 'changed' && `, ${changed.join(', ')} changed since`}
            </span>
          </li>
        ))}
        {usedBy.map(({ name, outputs }) => (
          <li>
            used by {link(name)} <span class="mono faint">{outputs?.join(', ') ?? 'all outputs'}</span>
          </li>
        ))}
      </ul>
      <p>
        <a href={withQuery(base, { view: 'graph', around: unit })}>Show in the graph of the estate</a>
      </p>
    </details>
  )
}

interface LatestProps {
  readonly versions: readonly VersionView[]
  readonly path: string
  readonly mayCompare: boolean
  readonly now: number
}

function Latest({ versions, path, mayCompare, now }: LatestProps) {
  return (
    <Card title="Latest versions">
      <section class="scroll" aria-label="Latest versions" {...REACHABLE}>
        <table>
          <thead>
            <tr>
              <th scope="col" class="right">
                Version
              </th>
              <th scope="col" class="right">
                Resources
              </th>
              <th scope="col">When</th>
              <th scope="col">By</th>
              <th scope="col">Message</th>
            </tr>
          </thead>
          <tbody>
            {versions.map((version) => (
              <tr>
                <td class="num right">
                  {mayCompare && version.seq > 1 ? (
                    <a
                      href={withQuery(`${path}/diff`, {
                        from: String(version.seq - 1),
                        to: String(version.seq),
                      })}
                    >
                      {version.seq}
                    </a>
                  ) : (
                    version.seq
                  )}
                </td>
                <td class="num right">{version.resources ?? ''}</td>
                <td class="nowrap">
                  <Ago at={version.at} now={now} />
                </td>
                <td>{sayAuthor(version)}</td>
                <td class="muted">{version.message ?? ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Card>
  )
}
