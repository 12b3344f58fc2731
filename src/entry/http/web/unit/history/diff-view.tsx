import type { VersionView } from '../../../../../state/index.ts'
import { Card, Empty, Notice, REACHABLE } from '../../shell/parts.tsx'
import type { UnitPage } from '../frame.tsx'
import { type Compared, resourceWords } from './diff-words.ts'
import type { ReadDiff } from './read-diff.ts'

const MOST_RESOURCES = 200
const MOST_ATTRIBUTES = 1000
const MOST_LETTERS = 1500

interface DiffViewProps {
  readonly diff: ReadDiff
  readonly page: UnitPage
  readonly from: Pick<VersionView, 'seq'>
  readonly to: Pick<VersionView, 'seq'>
}

/** The differences, side by side. Sensitive values are already masked. */
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

function summaryOf(diff: Compared): string {
  const resources = resourceWords(diff)
  const words = [
    ...(resources === '' ? [] : [`resources: ${resources}`]),
    ...(diff.outputs.length === 0 ? [] : [`outputs: ${diff.outputs.length} changed`]),
  ].join('; ')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}
