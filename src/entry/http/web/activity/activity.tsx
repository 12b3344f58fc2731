import { z } from 'zod'
import { AccessEventType } from '../../../../access/index.ts'
import { sayAuthor } from '../../../../base/text/author.ts'
import { RolloutEventType } from '../../../../rollouts/index.ts'
import { EventType, type EventView, type UnitView } from '../../../../state/index.ts'
import type { Route } from '../../kit/routes/route.ts'
import { Repeated } from '../../openapi/api.ts'
import { orgPage } from '../org-page.ts'
import { unitPath, withQuery } from '../shell/addresses.ts'
import { matchingLines, shell } from '../shell/command-line.ts'
import { ExportFormat, exported } from '../shell/export.ts'
import { Field } from '../shell/form/field.tsx'
import { TextField } from '../shell/form/text-field.tsx'
import { Layout } from '../shell/layout.tsx'
import { Ago, Card, Command, Split } from '../shell/parts.tsx'
import { htmlReply, partReply } from '../shell/render.ts'
import { CursorFooter } from '../shell/table.tsx'
import { EventLines, eventColumns } from './feed.tsx'
import { type ActivityFilter, eventOptions, readActivity } from './read.ts'
import { typesLike } from './words.ts'

const PAGE = { events: 50, read: 1_000 }
const EXPORT = { events: 10_000, read: 20_000 }
const MOST_LOCKS = 50

const TYPES: readonly string[] = [
  ...EventType.options,
  ...RolloutEventType.options,
  ...AccessEventType.options,
]
const GROUPS = [...new Set(TYPES.map((type) => type.split('.')[0] ?? type))].toSorted()

/** Forms send every field: an empty one filters nothing. */
const Text = z
  .string()
  .optional()
  .transform((text) => text?.trim() || undefined)

const ActivityQuery = z.object({
  /** `state.written`, or `state` for everything about states. */
  type: Repeated.transform((given) => (given ?? []).filter((one) => one !== '')),
  unit: Text,
  person: Text,
  cursor: Text,
  format: ExportFormat.catch(undefined),
  part: z.enum(['feed', 'locks']).optional().catch(undefined),
})

export const activityRoutes: readonly Route[] = [
  orgPage({
    path: '/activity',
    id: 'showActivity',
    action: 'events:read',
    isFiltered: true,
    summary: 'What happened, newest first, and who holds locks',
    query: ActivityQuery,
    async handle({ params: { org }, query, caller, view, x }, services) {
      const { type, unit, person, cursor, format, part } = query
      const { base } = view.org
      const now = services.clock.now()
      const filter: ActivityFilter = { org, types: typesLike(type, TYPES), unit, person }
      const path = withQuery(view.path, { part: undefined })
      if (format !== undefined) {
        const { events } = await readActivity(filter, undefined, EXPORT, { x, caller }, services)
        return exported(format, 'activity', eventColumns, events)
      }
      const lockedUnits = () =>
        services.control.units.select(
          {
            org,
            matches: ({ lock }) => lock !== null,
            compare: (a, b) => ((a.lock?.at ?? '') < (b.lock?.at ?? '') ? -1 : 1),
            skip: 0,
            limit: MOST_LOCKS,
          },
          caller,
        )
      if (part === 'locks')
        return partReply(<Locks path={path} base={base} now={now} {...await lockedUnits()} />)
      const { events, next } = await readActivity(filter, cursor, PAGE, { x, caller }, services)
      const feed = (
        <Feed path={path} base={base} events={events} next={next} isNewest={cursor === undefined} />
      )
      if (part === 'feed') return partReply(feed)
      const locks = <Locks path={path} base={base} now={now} {...await lockedUnits()} />
      const options = eventOptions(filter)
      const command = matchingLines(
        shell`taco events ${person === undefined ? ['--limit', String(PAGE.events), ...options] : options}`,
        person ?? '',
      )
      return htmlReply(
        <Layout view={view} title="Activity" live="">
          <div class="bar">
            <h1>Activity</h1>
          </div>
          <Filters base={base} query={query} />
          <Split
            side={
              <>
                {locks}
                <Command>{command}</Command>
                <Command>taco unit ls --locked</Command>
              </>
            }
          >
            {feed}
          </Split>
        </Layout>,
      )
    },
  }),
]

function Filters({ base, query }: { readonly base: string; readonly query: z.output<typeof ActivityQuery> }) {
  const [chosen = ''] = query.type
  return (
    <form class="bar filters" action={`${base}/activity`}>
      <Field id="type" label="Type">
        <select id="type" name="type">
          <option value="">All</option>
          {GROUPS.map((group) => (
            <optgroup label={group}>
              <option value={group} selected={chosen === group}>
                {group}: all
              </option>
              {TYPES.filter((type) => type.startsWith(`${group}.`)).map((type) => (
                <option value={type} selected={chosen === type}>
                  {type}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </Field>
      <TextField id="unit" label="Unit" value={query.unit ?? ''} isMono />
      <TextField id="person" label="Person" value={query.person ?? ''} />
      <button class="button" type="submit">
        Filter
      </button>
      {(chosen !== '' || query.unit !== undefined || query.person !== undefined) && (
        <a href={`${base}/activity`}>Show all</a>
      )}
    </form>
  )
}

interface FeedProps {
  readonly path: string
  readonly base: string
  readonly events: readonly EventView[]
  readonly next: string | undefined
  /** Older pages do not change. */
  readonly isNewest: boolean
}

function Feed({ path, base, events, next, isNewest }: FeedProps) {
  const live = isNewest
    ? {
        'data-live-on': '',
        'hx-get': withQuery(path, { part: 'feed' }),
        'hx-trigger': 'live',
        'hx-swap': 'outerMorph',
      }
    : {}
  return (
    <div id="feed" {...live}>
      <Card>
        {events.length === 0 ? (
          <p class="muted">
            {next === undefined
              ? 'No events match.'
              : 'No events match among those that were read. Older ones are on the next page.'}
          </p>
        ) : (
          <EventLines base={base} events={events} />
        )}
        <CursorFooter path={path} next={next} />
      </Card>
    </div>
  )
}

interface LocksProps {
  readonly path: string
  readonly base: string
  readonly now: number
  readonly items: readonly UnitView[]
  readonly total: number
}

/** Who holds locks, since when; the oldest first, because those are forgotten. */
function Locks({ path, base, now, items, total }: LocksProps) {
  return (
    <div
      id="locks"
      data-live-on="lock. state. unit."
      hx-get={withQuery(path, { part: 'locks' })}
      hx-trigger="live"
      hx-swap="outerMorph"
    >
      <Card title={total === 0 ? 'Locks' : `Locks: ${total.toLocaleString('en')}`}>
        {total === 0 && <p class="muted">No unit is locked.</p>}
        <ul class="units">
          {items.map(({ name, lock }) => (
            <li>
              <a class="mono" href={unitPath(base, name)}>
                {name}
              </a>
              {lock !== null && (
                <p class="muted">
                  {sayAuthor(lock)}, <Ago at={lock.at} now={now} />
                  {lock.reason !== null && `: ${lock.reason}`}
                  {lock.outside && ', in the bucket itself'}
                </p>
              )}
            </li>
          ))}
        </ul>
        {total > items.length && <p class="muted">and {total - items.length} more</p>}
      </Card>
    </div>
  )
}
