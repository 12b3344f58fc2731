import { z } from 'zod'
import type {
  AbsenceView,
  Caller,
  DamagedVersion,
  VersionChange,
  VersionView,
} from '../../../../../state/index.ts'
import { defined } from '../../../kit/drop-undefined.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { UnitParams } from '../../../openapi/api.ts'
import { orgPage } from '../../org-page.ts'
import type { WebServices } from '../../services.ts'
import { ExportFormat, exported } from '../../shell/export.ts'
import { htmlReply } from '../../shell/render.ts'
import { type UnitPage, openUnit } from '../frame.tsx'
import { listVersions } from './changes.tsx'
import { type FoundVersions, HistoryPage } from './history-page.tsx'
import { versionColumns } from './version-columns.tsx'

const PAGE_SIZE = 50
/** So many versions are read for one page, however few of them match. */
const MOST_READ = 500

export const historyRoutes: readonly Route[] = [
  orgPage({
    path: '/units/{unit}/history',
    params: UnitParams.shape,
    id: 'showUnitHistory',
    action: 'versions:read',
    summary: 'The versions of a unit',
    query: z.object({
      search: z.string().default(''),
      cursor: z.string().optional(),
      format: ExportFormat.catch(undefined),
    }),
    async handle(request, services) {
      const { query, caller } = request
      const page = await openUnit(request, services)
      const { search, cursor, format } = query
      if (format !== undefined) {
        const whole = { search, cursor: undefined, most: Infinity, rows: Infinity, atOnce: 1000 }
        const found = await readVersions(page, whole, services, caller)
        return exported(format, 'versions', versionColumns(page, { ...found, items: [] }), found.items)
      }
      const part = { search, cursor, most: MOST_READ, rows: PAGE_SIZE, atOnce: PAGE_SIZE }
      const found = await readVersions(page, part, services, caller)
      return htmlReply(<HistoryPage page={page} found={found} search={search} />)
    },
  }),
]

interface Asked {
  readonly search: string
  readonly cursor: string | undefined
  /** So many are read, */
  readonly most: number
  /** until there are so many that match. */
  readonly rows: number
  readonly atOnce: number
}

async function readVersions(
  page: UnitPage,
  { search, cursor, most, rows, atOnce }: Asked,
  services: WebServices,
  caller: Caller,
): Promise<FoundVersions> {
  const items: VersionView[] = []
  const [changes, counted] = [new Map<string, VersionChange>(), new Map<string, string>()]
  const damaged: DamagedVersion[] = []
  const absences: AbsenceView[] = []
  let next = cursor
  for (let read = 0; read < most && items.length < rows; read += atOnce) {
    const part = await listVersions(page, { limit: atOnce, ...defined({ cursor: next }) }, services, caller)
    items.push(...part.items.filter((version) => matches(version, search)))
    for (const [id, change] of part.changes) changes.set(id, change)
    for (const [id, words] of part.counted) counted.set(id, words)
    damaged.push(...part.damaged)
    absences.push(...part.absences)
    next = part.next
    if (next === undefined) break
  }
  return { items, changes, counted, damaged, absences, next }
}

/** By number, serial, author, message or id. Pure. */
export function matches({ seq, serial, id, by, who, how, message }: VersionView, search: string): boolean {
  const wanted = search.trim().toLowerCase()
  if (wanted === '') return true
  if ([String(seq), String(serial), how].includes(wanted)) return true
  if (id.toLowerCase().startsWith(wanted)) return true
  return [by, who, message].some((text) => text?.toLowerCase().includes(wanted))
}
