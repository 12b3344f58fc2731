import { withQuery } from '../shell/addresses.ts'
import { Tabs } from '../shell/parts.tsx'
import { LOOKS, LOOK_WORDS, type Look, Shape } from '../shell/status.tsx'
import { type EstateQuery, VIEWS } from './selection.ts'

interface ToolbarProps {
  readonly path: string
  readonly query: EstateQuery
}

const VIEW_WORDS = { map: 'Map', graph: 'Graph', table: 'Table', tree: 'Tree' } as const

/** How many units have which status; each leads to those, and back to all. */
export function Counts({
  path,
  query,
  counts,
}: ToolbarProps & { readonly counts: ReadonlyMap<Look, number> }) {
  return (
    <nav class="counts" aria-label="Status">
      {LOOKS.filter((look) => counts.has(look)).map((look) => {
        const isOn = query.status.includes(look)
        const status = isOn && query.status.length === 1 ? undefined : look
        return (
          <a
            href={withQuery(path, { status, page: undefined, unit: undefined })}
            aria-current={isOn ? 'true' : undefined}
            data-count={look}
          >
            <Shape look={look} />
            <b>{counts.get(look)?.toLocaleString('en')}</b> <span class="muted">{LOOK_WORDS[look]}</span>
          </a>
        )
      })}
    </nav>
  )
}

/** The four views of the same selection, and what it is narrowed by. */
export function Views({ path, query, hasDeleted }: ToolbarProps & { readonly hasDeleted: boolean }) {
  const tabs = VIEWS.map((view) => ({
    label: VIEW_WORDS[view],
    href: withQuery(path, { view: view === 'map' ? undefined : view, page: undefined }),
    isCurrent: query.view === view,
  }))
  return (
    <Tabs label="Views" tabs={tabs}>
      <div class="bar filters">
        {query.label.map((label) => (
          <Filter name="label" value={label} href={withoutLabel(path, label)} />
        ))}
        {query.path !== undefined && (
          <Filter name="path" value={query.path} href={withQuery(path, { path: undefined })} />
        )}
        {query.search !== undefined && (
          <Filter name="search" value={query.search} href={withQuery(path, { search: undefined })} />
        )}
        <details class="menu-button">
          <summary>+ filter</summary>
          <form class="menu form" action={path.split('?')[0]}>
            <Kept path={path} except={['label', 'path', 'search', 'page']} />
            <FilterField name="search" label="Name contains" value={query.search} />
            <FilterField name="path" label="Below the path" value={query.path} placeholder="prod/data" />
            {query.label.map((label) => (
              <input type="hidden" name="label" value={label} />
            ))}
            <FilterField name="label" label="Has the label" value={undefined} placeholder="env=prod" />
            <div>
              <button class="button primary" type="submit">
                Filter
              </button>
            </div>
          </form>
        </details>
        {hasDeleted && <a href={`${path.split('?')[0] ?? ''}?deleted=yes`}>Deleted units</a>}
      </div>
    </Tabs>
  )
}

function Filter({
  name,
  value,
  href,
}: {
  readonly name: string
  readonly value: string
  readonly href: string
}) {
  return (
    <a class="filter" href={href}>
      {name} <code>{value}</code> <span aria-hidden="true">×</span>
      <span class="unseen">: remove this filter</span>
    </a>
  )
}

interface FilterFieldProps {
  readonly name: string
  readonly label: string
  readonly value: string | undefined
  readonly placeholder?: string
}

function FilterField({ name, label, value, placeholder }: FilterFieldProps) {
  return (
    <div class="field">
      <label for={`filter-${name}`}>{label}</label>
      <input type="text" id={`filter-${name}`} name={name} value={value} placeholder={placeholder} />
    </div>
  )
}

/** The rest of the address, in a form. */
function Kept({ path, except }: { readonly path: string; readonly except: readonly string[] }) {
  const parameters = [...new URLSearchParams(path.split('?')[1])]
  return (
    <>
      {parameters
        .filter(([name]) => !except.includes(name))
        .map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
    </>
  )
}

function withoutLabel(path: string, label: string): string {
  const url = new URL(path, 'http://own.invalid')
  url.searchParams.delete('label', label)
  return url.pathname + url.search
}

/** The estate as it was. With JavaScript (`estate.js`) it is a slider over the last 30 days. */
export function AsOf({ path, query, at }: ToolbarProps & { readonly at: number | undefined }) {
  const value = at === undefined ? '' : new Date(at).toISOString().slice(0, 16)
  return (
    <form class="time end" action={path.split('?')[0]} data-time={at === undefined ? '' : String(at)}>
      <Kept path={path} except={['at', 'page', 'unit']} />
      <label>
        as of <input type="datetime-local" name="at" value={value} step="60" />
      </label>
      <span class="muted">UTC</span>
      <button class="button small" type="submit">
        Show
      </button>
      {query.at !== undefined && <a href={withQuery(path, { at: undefined })}>now</a>}
    </form>
  )
}
