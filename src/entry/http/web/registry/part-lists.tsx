import type { Child } from 'hono/jsx'
import type { ModulePart } from '../../../../registry/index.ts'
import { exported } from '../shell/export.ts'
import { List, type ListAsked, arrange } from '../shell/list.tsx'
import type { Column } from '../shell/table.tsx'

const PAGE_SIZE = 100

/** A list of what a module has, with its columns. */
export interface PartList {
  readonly label: string
  readonly count: number
  /** Shown when the list is empty. */
  readonly none: string
  shown(path: string, asked: ListAsked): Child
  exported(format: 'csv' | 'json', asked: ListAsked): ReturnType<typeof exported>
}

interface ListOf<T> {
  readonly label: string
  readonly none: string
  readonly columns: readonly Column<T>[]
  readonly items: readonly T[]
}

function partList<T>({ label, none, columns, items }: ListOf<T>): PartList {
  return {
    label,
    none,
    count: items.length,
    shown: (path, asked) => (
      <List path={path} caption={label} list={arrange(items, columns, asked, PAGE_SIZE)} empty={none} />
    ),
    exported: (format, asked) =>
      exported(format, label.toLowerCase(), columns, arrange(items, columns, asked).found),
  }
}

type Input = ModulePart['inputs'][number]
type Output = ModulePart['outputs'][number]
type Resource = ModulePart['resources'][number]
type Used = ModulePart['dependencies'][number] & { readonly kind: 'module' | 'provider' }

const sensitive = (isSensitive: boolean) => isSensitive && <span class="chip">sensitive</span>
const mono = (text: string) => <span class="mono">{text}</span>

const INPUTS: readonly Column<Input>[] = [
  {
    name: 'name',
    label: 'Input',
    cell: (input) => (
      <>
        {mono(input.name)} {input.default === null && <span class="chip warn">required</span>}{' '}
        {sensitive(input.isSensitive)}
        {input.description !== '' && <div class="faint wraps">{input.description}</div>}
      </>
    ),
    value: ({ name }) => name,
  },
  {
    name: 'type',
    label: 'Type',
    cell: ({ type }) => <code class="wraps">{type || 'any'}</code>,
    value: ({ type }) => type,
  },
  {
    name: 'default',
    label: 'Default',
    cell: (input) => <code class="wraps muted">{input.default}</code>,
    value: (input) => input.default,
  },
]
const INPUTS_EXPORTED: readonly Pick<Column<Input>, 'name' | 'value'>[] = [
  { name: 'description', value: ({ description }) => description },
  { name: 'required', value: (input) => input.default === null },
  { name: 'sensitive', value: ({ isSensitive }) => isSensitive },
]

const OUTPUTS: readonly Column<Output>[] = [
  {
    name: 'name',
    label: 'Output',
    cell: (output) => (
      <>
        {mono(output.name)} {sensitive(output.isSensitive)}
      </>
    ),
    value: ({ name }) => name,
  },
  {
    name: 'description',
    label: 'Description',
    cell: ({ description }) => <span class="wraps">{description}</span>,
    value: ({ description }) => description,
  },
]

const RESOURCES: readonly Column<Resource>[] = [
  {
    name: 'address',
    label: 'Resource',
    cell: ({ mode, type, name }) => mono(`${mode === 'managed' ? '' : `${mode}.`}${type}.${name}`),
    value: ({ mode, type, name }) => `${mode === 'managed' ? '' : `${mode}.`}${type}.${name}`,
  },
  { name: 'mode', label: 'Kind', cell: ({ mode }) => mode, value: ({ mode }) => mode },
]

const USED: readonly Column<Used>[] = [
  { name: 'kind', label: 'Kind', cell: ({ kind }) => kind, value: ({ kind }) => kind },
  { name: 'name', label: 'Name', cell: ({ name }) => mono(name), value: ({ name }) => name },
  {
    name: 'source',
    label: 'Source',
    cell: ({ source }) => <span class="mono wraps">{source}</span>,
    value: ({ source }) => source,
  },
  {
    name: 'version',
    label: 'Version',
    cell: ({ version }) => mono(version),
    value: ({ version }) => version,
  },
]

/** Required ones first. Pure. */
export function partLists(part: ModulePart): Readonly<Record<string, PartList>> {
  const { outputs, resources, dependencies, providers } = part
  const inputs = part.inputs.toSorted((a, b) => Number(b.default === null) - Number(a.default === null))
  const used: readonly Used[] = [
    ...providers.map((one) => ({ ...one, kind: 'provider' as const })),
    ...dependencies.map((one) => ({ ...one, kind: 'module' as const })),
  ]
  return {
    inputs: {
      ...partList({ label: 'Inputs', none: 'It has no inputs.', columns: INPUTS, items: inputs }),
      exported: (format, asked) =>
        exported(format, 'inputs', [...INPUTS, ...INPUTS_EXPORTED], arrange(inputs, INPUTS, asked).found),
    },
    outputs: partList({ label: 'Outputs', none: 'It has no outputs.', columns: OUTPUTS, items: outputs }),
    resources: partList({
      label: 'Resources',
      none: 'It manages nothing by itself.',
      columns: RESOURCES,
      items: resources,
    }),
    dependencies: partList({
      label: 'Dependencies',
      none: 'It names no providers and no other modules.',
      columns: USED,
      items: used,
    }),
  }
}
