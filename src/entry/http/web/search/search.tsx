import { z } from 'zod'
import { visibleGraph } from '../../../../graph/index.ts'
import type { Route } from '../../kit/routes/route.ts'
import { knownGraph } from '../estate/last-known.ts'
import { orgPage } from '../org-page.ts'
import { unitPath, withQuery } from '../shell/addresses.ts'
import { shell } from '../shell/command-line.ts'
import { ExportFormat, exported } from '../shell/export.ts'
import { Layout } from '../shell/layout.tsx'
import { Card, Command } from '../shell/parts.tsx'
import { htmlReply, partReply } from '../shell/render.ts'
import { Shape, lookOf, lookWords } from '../shell/status.tsx'
import { Exports } from '../shell/table.tsx'
import { type OrgView, hasPlace } from '../shell/view.ts'
import { type Found, type Hit, findAll } from './find.ts'
import { nearest } from './nearest.ts'

const MOST_SUGGESTED = 8

export const searchRoutes: readonly Route[] = [
  orgPage({
    path: '/search',
    id: 'search',
    action: 'unit:read',
    isFiltered: true,
    summary: 'Find units, outputs, teams and variable sets by name',
    query: z.object({
      q: z.string().trim().max(200).catch('').default(''),
      format: ExportFormat.catch(undefined),
      part: z.enum(['suggestions']).optional().catch(undefined),
    }),
    async handle({ params: { org }, query: { q, format, part }, caller, view }, services) {
      const text = q.toLowerCase()
      if (part === 'suggestions') {
        if (text === '') return partReply(<></>)
        const { graph: whole } = await knownGraph(services.graph, org, caller, services.clock)
        const visible = await services.control.units.visible(org, caller)
        const { nodes } = visible === undefined ? whole : visibleGraph(whole, visible)
        const found = nearest(nodes, text, MOST_SUGGESTED)
        return partReply(<Suggestions view={view} q={q} nodes={found} hasStatus={hasPlace(view, '')} />)
      }
      const found = text === '' ? [] : await findAll({ org, text, view }, caller, services)
      if (format !== undefined) return exported(format, 'search', columns, found.flatMap(rowsOf))
      return htmlReply(<SearchPage view={view} q={q} found={found} />)
    },
  }),
]

interface Row extends Hit {
  readonly kind: string
}

const rowsOf = ({ title, hits }: Found): readonly Row[] => hits.map((hit) => ({ ...hit, kind: title }))

const columns = [
  { name: 'kind', value: ({ kind }: Row) => kind },
  { name: 'name', value: ({ label }: Row) => label },
  { name: 'note', value: ({ note }: Row) => note ?? null },
  { name: 'address', value: ({ href }: Row) => href },
]

interface SuggestionsProps {
  readonly view: OrgView
  readonly q: string
  readonly nodes: ReturnType<typeof nearest>
  /** Names are for everyone who may see the units, their status only for those who may read the graph. */
  readonly hasStatus: boolean
}

/** While someone types. The last line leads to everything else. */
function Suggestions({ view, q, nodes, hasStatus }: SuggestionsProps) {
  const { base } = view.org
  return (
    <>
      {nodes.map((node) => (
        <a href={unitPath(base, node.name)}>
          {hasStatus && <Shape look={lookOf(node)} />}
          <span class="mono">{node.name}</span>
          {hasStatus && <span class="unseen">: {lookWords(node)}</span>}
        </a>
      ))}
      <a href={withQuery(`${base}/search`, { q })}>
        Search everything for <b>{q}</b>
      </a>
    </>
  )
}

interface SearchPageProps {
  readonly view: OrgView
  readonly q: string
  readonly found: readonly Found[]
}

function SearchPage({ view, q, found }: SearchPageProps) {
  return (
    <Layout view={view} title={q === '' ? 'Search' : `${q}: search`} search={q}>
      <h1>{q === '' ? 'Search' : `Results for “${q}”`}</h1>
      <div class="grid">
        {found.length === 0 && (
          <Card>
            <p class="muted">
              {q === ''
                ? 'Type a part of a name into the field at the top.'
                : 'Nothing that you may see matches.'}
            </p>
          </Card>
        )}
        {found.map(({ title, hits, total, all }) => (
          <Card title={`${title}: ${total.toLocaleString('en')}`}>
            <ul class="hits" data-list>
              {hits.map(({ label, href, note }) => (
                <li data-href={href}>
                  <a class="mono" href={href}>
                    {label}
                  </a>
                  {note !== undefined && note !== '' && <span class="muted">{note}</span>}
                </li>
              ))}
            </ul>
            {total > hits.length && (
              <p class="muted">
                {all === undefined ? (
                  `and ${(total - hits.length).toLocaleString('en')} more`
                ) : (
                  <a href={all}>and {(total - hits.length).toLocaleString('en')} more</a>
                )}
              </p>
            )}
          </Card>
        ))}
        {found.length > 0 && (
          <div class="bar">
            <Exports path={view.path} />
          </div>
        )}
        <Command>{q === '' ? 'taco unit ls --search vpc' : shell`taco unit ls --search ${q}`}</Command>
      </div>
    </Layout>
  )
}
