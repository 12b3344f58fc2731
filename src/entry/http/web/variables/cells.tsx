import type { Source, VariableSet, VariableView } from '../../../../variables/index.ts'
import { REACHABLE } from '../shell/parts.tsx'

export const setPath = (base: string, { id }: Pick<VariableSet, 'id'>) => `${base}/variables/${id}`

/** The cells of every list of variables. */
export function KeyCell({ variable: { key, category, hcl, description } }: { variable: VariableView }) {
  return (
    <>
      <span class="mono">{key}</span> {category === 'env' && <span class="chip">environment</span>}{' '}
      {hcl && <span class="chip">HCL</span>}
      {description !== '' && <div class="faint">{description}</div>}
    </>
  )
}

export function ValueCell({ variable: { value } }: { variable: VariableView }) {
  if (value === null) return <span class="chip">sensitive</span>
  const shown = value.length > 200 ? `${value.slice(0, 200)}…` : value
  if (!value.includes('\n')) return <code class="value">{shown}</code>
  return (
    <code class="value lines" {...REACHABLE}>
      {shown}
    </code>
  )
}

/** Where a variable comes from, with a link to the set. `base`: of the organization. */
export function SourceCell({ base, source }: { readonly base: string; readonly source: Source }) {
  if (source.kind === 'unit') return <>the unit</>
  return (
    <>
      set <a href={setPath(base, source)}>{source.name}</a>
    </>
  )
}

export function sourceWords(source: Source): string {
  return source.kind === 'unit' ? 'unit' : `set ${source.name}`
}
