import { z } from 'zod'
import { StateDiff, type VersionView, type Versions } from '../../../../state/index.ts'
import type { Caller, UnitRef } from '../../../../state/index.ts'
import { sayAuthor } from '../../../../base/text/author.ts'
import type { Route } from '../../kit/routes/route.ts'
import { UnitParams } from '../../openapi/api.ts'
import { orgPage } from '../org-page.ts'
import { unitPath, withQuery } from '../shell/addresses.ts'
import { Card, Command, Empty, Notice, REACHABLE, Time } from '../shell/parts.tsx'
import { htmlReply } from '../shell/render.ts'
import { UnitFrame, type UnitPage, openUnit } from './frame.tsx'

/** A larger comparison is for the command line. */
const MOST_BYTES = 4_000_000
const MOST_RESOURCES = 200
const MOST_ATTRIBUTES = 1000
const MOST_LETTERS = 1500

const VersionName = z.string().regex(/^(sv-[\w-]+|\d+|current|previous)$/)

/** What differs between two versions. `too large`: it is not shown on a page. */
export type ReadDiff = StateDiff | 'too large'

export async function readDiff(
  versions: Versions,
  ref: UnitRef,
  ends: { readonly from: string; readonly to: string },
  caller: Caller,
): Promise<ReadDiff> {
  const text = await versions.diff(ref, ends.from, ends.to, caller)
  if (text.byteLength > MOST_BYTES) return 'too large'
  return StateDiff.parse(JSON.parse(Buffer.from(text).toString()))
}

export const diffRoutes: readonly Route[] = [
  orgPage({
    path: '/units/{unit}/diff',
    params: UnitParams.shape,
    id: 'showUnitDiff',
    action: 'versions:read-state',
    summary: 'What differs between two versions of a unit',
    isSecret: true,
    query: z.object({
      from: VersionName.catch('previous').default('previous'),
      to: VersionName.catch('current').default('current'),
    }),
    async handle(request, services) {
      const { query, caller, view } = request
      const page = await openUnit(request, services)
      const { versions } = services.control
      const [from, to] = await Promise.all([
        versions.get(page.ref, query.from, caller),
        versions.get(page.ref, query.to, caller),
      ])
      const diff = await readDiff(versions, page.ref, { from: from.id, to: to.id }, caller)
      const other = withQuery(unitPath(view.org.base, page.unit.name, 'diff'), {
        from: String(to.seq),
        to: String(from.seq),
      })
      return htmlReply(
        <UnitFrame of={page} tab="history">
          <div class="grid">
            <Card title={`Version ${from.seq} and version ${to.seq}`}>
              <div class="sides">
                <SideOf version={from} />
                <SideOf version={to} />
              </div>
              <p class="bar actions">
                <a class="button" href={other}>
                  Swap
                </a>
                <a class="button" href={unitPath(view.org.base, page.unit.name, 'history')}>
                  All versions
                </a>
              </p>
            </Card>
            <DiffView diff={diff} page={page} from={from} to={to} />
            <Command>{`taco state diff ${page.unit.name} ${from.seq} ${to.seq}`}</Command>
          </div>
        </UnitFrame>,
      )
    },
  }),
]

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

interface DiffViewProps {
  readonly diff: ReadDiff
  readonly page: UnitPage
  readonly from: Pick<VersionView, 'seq'>
  readonly to: Pick<VersionView, 'seq'>
}

/** The differences, side by side. Sensitive values are masked by whoever compared them. */
export function DiffView({ diff, page: { unit }, from, to }: DiffViewProps) {
  if (diff === 'too large')
    return (
      <Notice kind="warn">
        <p>
          The differences are too many for a page. Use <code>taco state diff {unit.name}</code> with{' '}
          {from.seq} and {to.seq}.
        </p>
      </Notice>
    )
  if (diff.encrypted)
    return (
      <Notice kind="warn">
        <p>One of the versions is encrypted, so their contents cannot be compared.</p>
      </Notice>
    )
  if (diff.resources.length + diff.outputs.length === 0)
    return (
      <Empty title="No differences">
        <p class="muted">Both versions have the same resources and outputs.</p>
      </Empty>
    )
  const rows = rowsOf(diff)
  const isCut = rows.length > MOST_ATTRIBUTES || diff.resources.length > MOST_RESOURCES
  return (
    <Card title={summaryOf(diff)}>
      <section class="scroll" aria-label="Differences" {...REACHABLE}>
        <table class="diff">
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">Version {from.seq}</th>
              <th scope="col">Version {to.seq}</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MOST_ATTRIBUTES).map((row) =>
              'heading' in row ? (
                <tr>
                  <th scope="rowgroup" colspan={3}>
                    <span class={`change ${row.change}`}>{row.change}</span>{' '}
                    <span class="mono">{row.heading}</span>
                    {row.note !== '' && <span class="muted"> {row.note}</span>}
                  </th>
                </tr>
              ) : (
                <tr>
                  <td class="mono">{row.path}</td>
                  <td class={row.before === undefined ? undefined : 'del'}>{row.before}</td>
                  <td class={row.after === undefined ? undefined : 'add'}>{row.after}</td>
                </tr>
              ),
            )}
          </tbody>
        </table>
      </section>
      {isCut && <p class="muted">There are more. The command below shows all of them.</p>}
    </Card>
  )
}

type Compared = Extract<StateDiff, { readonly encrypted: false }>
type Row =
  | { readonly heading: string; readonly change: string; readonly note: string }
  | { readonly path: string; readonly before: string | undefined; readonly after: string | undefined }

function rowsOf({ resources, outputs }: Compared): readonly Row[] {
  return [
    ...outputs.flatMap((output): Row[] => [
      { heading: `output ${output.name}`, change: output.change, note: '' },
      { path: 'value', ...valuesOf(output) },
    ]),
    ...resources
      .slice(0, MOST_RESOURCES)
      .flatMap(({ address, change, from, attributes, fields }): Row[] => [
        { heading: address, change, note: from === undefined ? '' : `from ${from}` },
        ...attributes.map((one) => ({ path: one.path, ...valuesOf(one) })),
        ...fields.map((field) => ({ path: field, before: 'differs', after: 'differs' })),
      ]),
  ]
}

interface Values {
  readonly before?: unknown
  readonly after?: unknown
  readonly beforeJson?: string | undefined
  readonly afterJson?: string | undefined
}

function valuesOf({ before, after, beforeJson, afterJson }: Values) {
  return { before: valueText(before, beforeJson), after: valueText(after, afterJson) }
}

function valueText(value: unknown, json: string | undefined): string | undefined {
  if (value === undefined && json === undefined) return undefined
  const text = json ?? (typeof value === 'string' ? value : JSON.stringify(value))
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text
}

function summaryOf({ resources, outputs }: Compared): string {
  const words = ['added', 'changed', 'moved', 'removed'] as const
  const counts = words.flatMap((word) => {
    const count = resources.filter(({ change }) => change === word).length
    return count === 0 ? [] : [`${count} ${word}`]
  })
  const of = [
    ...(counts.length === 0 ? [] : [`resources: ${counts.join(', ')}`]),
    ...(outputs.length === 0 ? [] : [`outputs: ${outputs.length} changed`]),
  ]
  const text = of.join('; ')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
