import { z } from 'zod'
import { forEachLimit } from '../../../../../base/for-each-limit.ts'
import type { Caller, VersionChange, VersionView } from '../../../../../state/index.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { UnitParams } from '../../../openapi/api.ts'
import { orgPage } from '../../org-page.ts'
import type { WebServices } from '../../services.ts'
import { unitPath, withQuery } from '../../shell/addresses.ts'
import { partReply } from '../../shell/render.ts'
import { type UnitPage, openUnit } from '../frame.tsx'
import { changeWords } from './change-words.ts'
import { countChanges, countedAmong, isCountable } from './counted-changes.ts'

/** So many versions of a page are compared: each takes two reads, once. */
const MOST_COUNTED = 20
const AT_ONCE = 4

export const changeRoutes: readonly Route[] = [
  orgPage({
    path: '/units/{unit}/changes',
    params: UnitParams.shape,
    id: 'countUnitChanges',
    action: 'versions:read-state',
    summary: 'How versions of a unit differ from those before them, as parts of a page',
    query: z.object({ of: z.string().default('') }),
    async handle(request, services) {
      const { caller, query } = request
      const page = await openUnit(request, services)
      const { versions } = services.control
      const ids = query.of.split(',').filter((id) => /^sv-\w+$/.test(id))
      const words = new Map<string, string>()
      await forEachLimit(ids.slice(0, MOST_COUNTED), AT_ONCE, async (id) => {
        const text = await countChanges(versions, page.ref, id, caller)
        if (text !== undefined) words.set(id, text)
      })
      return partReply(
        <>
          {[...words].map(([id, text]) => (
            <span id={`changes-${id}`} hx-swap-oob="true">
              {text}
            </span>
          ))}
        </>,
      )
    },
  }),
]

/** Versions, and what is known about how they differ. */
export interface ListedVersions {
  readonly items: readonly VersionView[]
  /** What their headers say, by id. */
  readonly changes: ReadonlyMap<string, VersionChange>
  /** What was counted, by id. */
  readonly counted: ReadonlyMap<string, string>
}

interface ListOptions {
  readonly limit: number
  readonly cursor?: string
}

/** Counts nothing: it only adds what was counted before, for those who may see the content of versions. */
export async function listVersions(
  { view, ref, unit }: UnitPage,
  options: ListOptions,
  { control: { versions } }: WebServices,
  caller: Caller,
) {
  const listed = await versions.list(ref, { ...options, changes: true }, caller)
  const mayCompare = view.may('versions:read-state', unit)
  const counted: ListedVersions['counted'] = mayCompare
    ? countedAmong(versions, ref, listed.items)
    : new Map()
  return { ...listed, counted }
}

type OfVersion = Omit<ListedVersions, 'items'> & { readonly of: VersionView }

export function Changes({ of, changes, counted }: OfVersion) {
  return <span id={`changes-${of.id}`}>{counted.get(of.id) ?? changeWords(changes.get(of.id))}</span>
}

interface CountChangesProps {
  readonly page: UnitPage
  readonly listed: ListedVersions
}

/** With JavaScript: has the changes counted that were not, after the page is shown. */
export function CountChanges({ page: { view, unit }, listed: { items, counted } }: CountChangesProps) {
  if (!view.may('versions:read-state', unit)) return null
  const missing = items
    .filter((version) => isCountable(version) && !counted.has(version.id))
    .slice(0, MOST_COUNTED)
    .map(({ id }) => id)
  if (missing.length === 0) return null
  const path = withQuery(unitPath(view.org.base, unit.name, 'changes'), { of: missing.join(',') })
  // Another id for other versions: a live page then starts it again.
  return <span id={`count-${missing[0]}`} hidden hx-get={path} hx-trigger="load" hx-swap="none" />
}
