import { sayAuthor } from '../../../../base/text/author.ts'
import type { EventView } from '../../../../state/index.ts'
import { unitPath } from '../shell/addresses.ts'
import type { Column } from '../shell/table.tsx'
import { type FeedLine, groupEvents } from './groups.ts'
import { detailsOf, lineDetails, lineWords } from './words.ts'

/** What an export has of each event. */
export const eventColumns: readonly Pick<Column<EventView>, 'name' | 'value'>[] = [
  { name: 'at', value: ({ at }) => at },
  { name: 'by', value: (event) => sayAuthor(event) },
  { name: 'type', value: ({ type }) => type },
  { name: 'details', value: detailsOf },
  { name: 'unit', value: ({ unit }) => unit?.name ?? null },
  { name: 'id', value: ({ id }) => id },
]

interface EventLinesProps {
  readonly base: string
  readonly events: readonly EventView[]
  /** True: the page is about one unit, which needs no name. */
  readonly isOfUnit?: boolean
}

/** Events as short lines, newest first, a heading for each day. */
export function EventLines({ base, events, isOfUnit = false }: EventLinesProps) {
  const days = new Map<string, FeedLine[]>()
  for (const line of groupEvents(events)) {
    const day = line.event.at.slice(0, 10)
    const lines = days.get(day)
    if (lines === undefined) days.set(day, [line])
    else lines.push(line)
  }
  return (
    <>
      {[...days].map(([day, lines]) => (
        <section>
          <h2 class="num">{day}</h2>
          <ul class="feed" data-list>
            {lines.map((line) => (
              <Line base={base} line={line} isOfUnit={isOfUnit} />
            ))}
          </ul>
        </section>
      ))}
    </>
  )
}

interface LineProps {
  readonly base: string
  readonly line: FeedLine
  readonly isOfUnit: boolean
}

function Line({ base, line, isOfUnit }: LineProps) {
  const { event } = line
  const { unit, data, at, id } = event
  const { rollout } = data
  const details = lineDetails(line)
  const href = unit === null ? undefined : unitPath(base, unit.name)
  return (
    // Parts that are renewed keep the line that is looked at.
    <li id={`e-${id}`} data-href={href}>
      <time class="num faint" datetime={at} title={`${at.slice(0, 19).replace('T', ' ')} UTC`}>
        {at.slice(11, 16)}
      </time>
      <p>
        <b>{sayAuthor(event)}</b> {isOfUnit ? withoutOf(lineWords(line)) : lineWords(line)}
        {unit !== null && !isOfUnit && (
          <>
            {' '}
            <a class="mono" href={href}>
              {unit.name}
            </a>
          </>
        )}
        {typeof rollout === 'string' && (
          <>
            {unit === null ? ' ' : ' in '}
            <a class="mono" href={`${base}/rollouts/${encodeURIComponent(rollout)}`}>
              {rollout}
            </a>
          </>
        )}
        {details !== '' && <span class="muted"> {details}</span>}
      </p>
    </li>
  )
}

/** `wrote the state of` a unit that is not named: `wrote the state`. */
const withoutOf = (words: string) => words.replace(/ (?:of|for)$/, '')
