import { z } from 'zod'
import { badRequest, isTacoError } from '../../../../base/errors.ts'
import { noSuchUnit } from '../../../../state/index.ts'
import type { GraphView } from '../../../../graph/index.ts'
import {
  drawGraph,
  pictureFormats,
  visibleGraph,
  visibleStatus,
  StatusView as StatusSchema,
  GraphView as GraphSchema,
} from '../../../../graph/index.ts'
import { Flag, OrgQuery, jsonAnswer } from '../../openapi/api.ts'
import { defined } from '../../kit/drop-undefined.ts'
import { route } from '../define.ts'

const tags = ['graph']
const Shown = OrgQuery.extend({
  unit: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Name or id: only this unit and its surroundings.' }),
  at: z.string().optional().meta({
    description: 'At this time in the past: a date (the beginning of that day, UTC) or a time.',
    example: '2026-03-01T12:00:00Z',
  }),
})

const picture = z.string().meta({ type: 'string' })

const texts = new WeakMap<object, string>()

/** The service gives the same lists while nothing changed; turning megabytes into text again would be a waste. */
function textOf({ asOf, nodes, edges }: GraphView): string {
  let text = texts.get(nodes)
  if (text === undefined) {
    text = JSON.stringify({ nodes, edges }).slice(1)
    texts.set(nodes, text)
  }
  return `{"asOf":${JSON.stringify(asOf)},${text}`
}

export const graphRoutes = [
  route({
    method: 'GET',
    path: '/v1/graph',
    id: 'getGraph',
    action: 'graph:read',
    isFiltered: true,
    tags,
    summary: 'Show the dependency graph with the status of each unit',
    query: Shown.extend({
      direction: z
        .enum(['up', 'down'])
        .optional()
        .meta({ description: 'For `unit`: only what it uses, or only what uses it. Absent: both.' }),
      format: z.enum(['json', ...pictureFormats]).default('json'),
    }),
    answers: {
      200: {
        description: 'The graph',
        content: {
          'application/json': { schema: GraphSchema.meta({ id: 'Graph' }) },
          'image/svg+xml': { schema: picture },
          'text/vnd.graphviz': { schema: picture },
          'text/plain': { schema: picture.meta({ type: 'string', description: 'Mermaid' }) },
        },
      },
    },
    target: ({ query: { org, unit } }) => ({ org, unit }),
    async handle({ query: { format, at, ...query }, caller }, { graph, clock, control }) {
      const all = () => graph.view({ ...defined(query), ...timeOf(at, clock.now()) }, caller)
      const visible = await control.units.visible(query.org, caller)
      const view = visible === undefined ? await all() : visibleGraph(await inPlainWords(query, all), visible)
      if (format === 'json') return { status: 200, type: 'application/json', text: textOf(view) }
      return { status: 200, ...(await drawGraph(view, format)) }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/status',
    id: 'getStatus',
    action: 'graph:read',
    isFiltered: true,
    tags,
    summary: 'Show the status of units, with reasons',
    query: Shown.extend({
      direction: z
        .enum(['up', 'down', 'both', 'none'])
        .default('none')
        .meta({ description: 'For `unit`: include what it uses, or what uses it.' }),
      attention: Flag.meta({
        description: 'Only units that are not up to date, are running or have failed.',
      }),
    }),
    answers: { 200: jsonAnswer(StatusSchema.meta({ id: 'Status' }), 'Status and reasons') },
    target: ({ query: { org, unit } }) => ({ org, unit }),
    async handle({ query: { at, direction, attention, ...query }, caller }, { graph, clock, control }) {
      const around = direction === 'both' ? {} : { direction }
      const asked = { ...defined(query), ...around, ...timeOf(at, clock.now()) }
      const visible = await control.units.visible(query.org, caller)
      if (visible === undefined)
        return { status: 200, json: await graph.status({ ...asked, attention }, caller) }
      // Counted over what is visible, so it is narrowed afterwards.
      const whole = visibleStatus(await inPlainWords(query, () => graph.status(asked, caller)), visible)
      const wanted = attention
        ? new Set((await graph.status({ ...asked, attention }, caller)).items.map(({ id }) => id))
        : undefined
      const items = wanted === undefined ? whole.items : whole.items.filter(({ id }) => wanted.has(id))
      return { status: 200, json: { ...whole, items } }
    },
  }),
]

/** A guess at what was meant could name a unit that the caller may not see. */
export async function inPlainWords<T>(
  { org, unit }: { readonly org: string; readonly unit?: string | undefined },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (unit === undefined || !isTacoError(error, 'NOT_FOUND')) throw error
    throw noSuchUnit({ org, unit })
  }
}

function timeOf(text: string | undefined, now: number): { at?: number } {
  if (text === undefined) return {}
  const at = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text)
    ? Date.parse(text)
    : NaN
  if (Number.isNaN(at) || !isDay(text.slice(0, 10)))
    throw badRequest('at', `"${text}" is not a date or time.`, 'Write 2026-03-01 or 2026-03-01T12:00:00Z.')
  if (at > now + CLOCKS_APART_MS)
    throw badRequest('at', `${text} is in the future.`, 'Leave it out to see the current graph.')
  return { at }
}

/** Clocks differ; what a client calls now is no question about the future. */
const CLOCKS_APART_MS = 60_000

/** JavaScript takes the 30th of February for the 2nd of March. */
function isDay(day: string): boolean {
  const time = Date.parse(day)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day)
}
