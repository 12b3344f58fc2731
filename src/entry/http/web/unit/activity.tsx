import { z } from 'zod'
import { RolloutEventType } from '../../../../rollouts/index.ts'
import { EventType, type EventView } from '../../../../state/index.ts'
import type { Route } from '../../kit/routes/route.ts'
import { UnitParams } from '../../openapi/api.ts'
import { EventLines, eventColumns } from '../activity/feed.tsx'
import { eventOptions, readActivity } from '../activity/read.ts'
import { typesLike } from '../activity/words.ts'
import { orgPage } from '../org-page.ts'
import { unitPath, withQuery } from '../shell/addresses.ts'
import { matchingLines, shell } from '../shell/command-line.ts'
import { ExportFormat, exported } from '../shell/export.ts'
import { SelectField } from '../shell/form/select-field.tsx'
import { TextField } from '../shell/form/text-field.tsx'
import { Card, Command, Empty } from '../shell/parts.tsx'
import { CursorFooter } from '../shell/table.tsx'
import { type UnitPage, UnitPartName, liveUnitReply, openUnit } from './frame.tsx'

const PAGE = { events: 50, read: 500 }
const EXPORT = { events: 1000, read: 2000 }

const TYPES: readonly string[] = [...EventType.options, ...RolloutEventType.options]

/** What can happen to a unit, by how the types of events begin. */
const KINDS = [
  ['', 'everything'],
  ['state', 'writes of the state'],
  ['lock', 'locks'],
  ['step', 'steps of rollouts'],
  ['dependencies', 'dependencies'],
  ['unit', 'settings'],
] as const

export const activityRoutes: readonly Route[] = [
  orgPage({
    path: '/units/{unit}/activity',
    params: UnitParams.shape,
    id: 'showUnitActivity',
    action: 'events:read',
    summary: 'What happened to a unit',
    query: z.object({
      type: z.string().default(''),
      person: z.string().default(''),
      cursor: z.string().optional(),
      format: ExportFormat.catch(undefined),
      part: UnitPartName,
    }),
    async handle(request, services) {
      const { query, x, caller } = request
      const page = await openUnit(request, services)
      const person = query.person.trim() || undefined
      const filter = { ...page.ref, types: query.type === '' ? [] : typesLike([query.type], TYPES), person }
      if (query.format !== undefined) {
        const { events } = await readActivity(filter, undefined, EXPORT, { x, caller }, services)
        return exported(query.format, 'activity', [...eventColumns, EXPORTED_ONLY], events)
      }
      const found = await readActivity(filter, query.cursor, PAGE, { x, caller }, services)
      const options = eventOptions({ ...filter, unit: page.unit.name })
      const command = matchingLines(shell`taco events ${options}`, query.person.trim())
      const children = <Content page={page} query={query} command={command} {...found} />
      return liveUnitReply(query.part, {
        of: page,
        tab: 'activity',
        live: 'state. lock. step. unit.',
        children,
      })
    },
  }),
]

interface ContentProps {
  readonly page: UnitPage
  readonly query: { readonly type: string; readonly person: string }
  readonly command: string
  readonly events: readonly EventView[]
  readonly next: string | undefined
}

function Content({ page: { view, unit }, query, command, events, next }: ContentProps) {
  const path = withQuery(view.path, { part: undefined })
  const isFiltered = query.type !== '' || query.person !== ''
  return (
    <div class="grid">
      {events.length === 0 && !isFiltered && next === undefined ? (
        <Empty title="No activity">
          <p class="muted">Nothing is recorded for this unit, or it was removed by retention.</p>
        </Empty>
      ) : (
        <Card>
          <Filters action={unitPath(view.org.base, unit.name, 'activity')} query={query} />
          {events.length === 0 ? (
            <p class="muted">Nothing that matches was found.</p>
          ) : (
            <EventLines base={view.org.base} events={events} isOfUnit />
          )}
          <CursorFooter path={path} next={next} />
        </Card>
      )}
      <Command>{command}</Command>
    </div>
  )
}

function Filters({ action, query }: { readonly action: string; readonly query: ContentProps['query'] }) {
  return (
    <search>
      <form class="bar filters" action={action}>
        <SelectField id="type" label="What" value={query.type} options={KINDS} />
        <TextField id="person" label="Who" value={query.person} type="search" />
        <button class="button" type="submit">
          Filter
        </button>
      </form>
    </search>
  )
}

const EXPORTED_ONLY = { name: 'data', value: ({ data }: EventView) => JSON.stringify(data) }
