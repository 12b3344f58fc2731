import { unitPath } from '../../shell/addresses.ts'
import { Form } from '../../shell/layout.tsx'
import { LookChip } from '../../shell/status.tsx'
import type { Column } from '../../shell/table.tsx'
import type { UnitPage } from '../frame.tsx'
import type { Edge } from './edges.ts'

const SOURCES: Readonly<Record<string, string>> = {
  declared: 'declared',
  code: 'found in the code',
  reads: 'read by the last apply',
}

export function columnsOf({ view }: UnitPage): readonly Column<Edge>[] {
  return [
    {
      name: 'direction',
      label: 'Direction',
      cell: ({ direction }) => direction,
      value: ({ direction }) => direction,
    },
    {
      name: 'unit',
      label: 'Unit',
      cell: ({ name }) => (
        <a class="mono" href={unitPath(view.org.base, name)}>
          {name}
        </a>
      ),
      value: ({ name }) => name,
    },
    {
      name: 'outputs',
      label: 'Outputs',
      cell: ({ outputs }) => <span class="mono">{outputWords(outputs)}</span>,
      value: ({ outputs }) => outputWords(outputs),
    },
    {
      name: 'inputs',
      label: 'Variables',
      cell: ({ inputs }) => <span class="mono">{inputWords(inputs)}</span>,
      value: ({ inputs }) => inputWords(inputs),
    },
    {
      name: 'source',
      label: 'Source',
      cell: ({ source }) => SOURCES[source] ?? source,
      value: ({ source }) => source,
    },
    {
      name: 'state',
      label: 'State',
      cell: (edge) => <EdgeState of={edge} />,
      value: ({ state }) => state,
    },
  ]
}

/** Only what was declared can be removed: the rest follows from what the unit reads. */
export function removeColumn({ view, unit }: UnitPage): Column<Edge> {
  return {
    name: 'remove',
    label: 'Action',
    cell: ({ source, id, name }) =>
      source === 'declared' ? (
        <details class="more confirm-row">
          <summary>Remove</summary>
          <Form view={view} action={unitPath(view.org.base, unit.name, 'dependencies/remove')} class="stack">
            <input type="hidden" name="on" value={id} />
            <p>A change of {name} will no longer make this unit stale.</p>
            <button class="button danger small" type="submit">
              Remove the dependency
            </button>
          </Form>
        </details>
      ) : null,
    value: () => null,
  }
}

function outputWords(outputs: readonly string[] | null): string {
  return outputs === null ? 'all' : outputs.join(', ') || 'none, only the order'
}

function inputWords(inputs: Readonly<Record<string, string>>): string {
  return Object.entries(inputs)
    .map(([variable, output]) => `${variable}=${output}`)
    .join(', ')
}

function EdgeState({ of: { state, changed, commit } }: { readonly of: Edge }) {
  const read = commit === null ? null : <span class="muted">read at commit {commit}</span>
  switch (state) {
    case 'changed':
      return (
        <>
          <LookChip look="stale">changed since</LookChip> <span class="mono">{changed.join(', ')}</span>{' '}
          {read}
        </>
      )
    case 'fresh':
      return (
        <>
          <LookChip look="ok">current</LookChip> {read}
        </>
      )
    case 'dangling':
      return <LookChip look="missing">does not exist</LookChip>
    default:
      return <LookChip look="unknown">unknown</LookChip>
  }
}
