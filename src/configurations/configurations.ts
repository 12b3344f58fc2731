import type { Caller } from '../access/index.ts'
import { TacoError, isTacoError } from '../base/errors.ts'
import type { Spool } from '../base/spool.ts'
import { type ArchiveUploadLimits, type Found, type Taken, takeArchive } from '../bucket/index.ts'
import { type Place, type RecordDeps, createContents, createRecords } from '../records/index.ts'
import { type ConfigurationVersion, KEPT, currentOf, kind, surplus } from './model.ts'

/** Of one unit: `of` is its id. */
export type UnitPlace = Place & { readonly of: string }

/** Configuration versions of units. The caller's rights were checked before. */
export interface Configurations {
  /** Oldest first. */
  list(place: UnitPlace): Promise<readonly ConfigurationVersion[]>
  get(place: UnitPlace, id: string): Promise<ConfigurationVersion>
  /** The newest that was uploaded, other than for plans alone. */
  current(place: UnitPlace): Promise<ConfigurationVersion | undefined>
  create(
    place: UnitPlace,
    options: Pick<ConfigurationVersion, 'autoQueueRuns' | 'speculative' | 'provisional'>,
    caller: Caller,
  ): Promise<ConfigurationVersion>
  /**
   * Takes the archive in and checks it while it comes. One that is invalid (ARCHIVE_INVALID) or too large (TOO_LARGE)
   * makes the version errored, for good. The same bytes again change nothing; others are a CONFLICT.
   */
  upload(
    place: UnitPlace,
    id: string,
    stream: AsyncIterable<Uint8Array>,
    options: { readonly declaredBytes?: number | undefined },
    caller: Caller,
  ): Promise<ConfigurationVersion>
  /** Discard it if it is not read. NOT_FOUND: nothing was uploaded. GONE: it is archived. */
  download(place: UnitPlace, id: string): Promise<Found>
  /** Its content is removed. Not the current one (CONFLICT). */
  archive(place: UnitPlace, id: string, caller: Caller): Promise<ConfigurationVersion>
}

const LIMITS: ArchiveUploadLimits = {
  maxArchiveBytes: 256 * 2 ** 20,
  maxEntries: 100_000,
  maxBytes: 2 ** 30,
}

export function createConfigurations(
  deps: RecordDeps & { readonly spool: Spool },
  limits: ArchiveUploadLimits = LIMITS,
): Configurations {
  const { clock, spool } = deps
  const records = createRecords(deps, kind)
  const contents = createContents(deps, 'configurations')

  function at(
    version: ConfigurationVersion,
    status: string,
    change: Partial<ConfigurationVersion> = {},
  ): ConfigurationVersion {
    return { ...version, ...change, status, times: { ...version.times, [status]: clock.now() } }
  }

  function drop(place: UnitPlace, { id, content }: ConfigurationVersion): Promise<void> {
    return contents.remove(place.org, id, content)
  }

  async function makeRoom(place: UnitPlace, caller: Caller): Promise<void> {
    if ((await records.list(place)).length < KEPT) return
    const gone = await records.rewrite(
      place,
      (all) => {
        const ids = surplus(all)
        return {
          records: all.filter(({ id }) => !ids.has(id)),
          answer: all.filter(({ id }) => ids.has(id)),
          events: [...ids].map((id) => ({ type: `${kind.word}.deleted`, data: { id, why: 'retention' } })),
        }
      },
      caller,
    )
    for (const version of gone) await drop(place, version)
  }

  /** Only one that still waits for its content: another upload may have been faster. */
  async function fail(place: UnitPlace, id: string, error: TacoError, caller: Caller): Promise<void> {
    await records.update(
      place,
      id,
      (version) =>
        version.status === 'pending' ? at(version, 'errored', { error: error.message }) : version,
      caller,
    )
  }

  return {
    list: records.list,
    get: records.get,
    current: async (place) => currentOf(await records.list(place)),
    async create(place, options, caller) {
      await makeRoom(place, caller)
      const times = { pending: clock.now() }
      return records.create(place, { ...options, status: 'pending', source: 'tfe-api', times }, caller)
    },
    async upload(place, id, stream, { declaredBytes }, caller) {
      checkOpen(await records.get(place, id))
      let whole: Taken
      try {
        whole = await takeArchive(stream, spool, limits, declaredBytes)
      } catch (error) {
        if (isTacoError(error, 'ARCHIVE_INVALID', 'TOO_LARGE')) await fail(place, id, error, caller)
        throw error
      }
      try {
        const { hash } = whole
        const content = await contents.put(place.org, id, whole)
        let isOurs = false
        try {
          return await records.update(
            place,
            id,
            (version) => {
              isOurs = version.status === 'pending'
              if (isOurs) return at(version, 'uploaded', { content })
              checkOpen(version, hash)
              return version
            },
            caller,
          )
        } finally {
          // A failure leaves it: whether the record refers to it is unknown then.
          if (!isOurs) await contents.remove(place.org, id, content)
        }
      } finally {
        await whole.dispose()
      }
    },
    async download(place, id) {
      const { status, content } = await records.get(place, id)
      if (content !== undefined) return contents.open(place.org, id, content)
      if (status === 'archived')
        throw new TacoError('GONE', `The content of ${id} was archived.`, { facts: { id } })
      throw new TacoError('NOT_FOUND', `${id} has no content.`, { facts: { id } })
    },
    async archive(place, id, caller) {
      let before: ConfigurationVersion | undefined
      const archived = await records.rewrite(
        place,
        (all) => {
          const found = all.find((one) => one.id === id)
          if (found === undefined)
            throw new TacoError('NOT_FOUND', `There is no configuration version ${id}.`, { facts: { id } })
          before = found
          if (found.status === 'archived') return { records: all, answer: found }
          if (found.status !== 'uploaded') throw refused(found, 'has no content that could be archived')
          if (found === currentOf(all)) throw refused(found, 'is the current one of its workspace')
          const { content: _, ...rest } = found
          const next = { ...at(rest, 'archived'), updatedAt: clock.now() }
          return {
            records: all.map((one) => (one === found ? next : one)),
            answer: next,
            events: [{ type: `${kind.word}.updated`, data: { id, ...kind.says(next) } }],
          }
        },
        caller,
      )
      if (before !== undefined) await drop(place, before)
      return archived
    },
  }
}

/** `hash`: of what was uploaded now. */
function checkOpen({ status, content, ...version }: ConfigurationVersion, hash?: string): void {
  if (status === 'pending') return
  if (status === 'uploaded' && (hash === undefined || hash === content?.sha256)) return
  throw refused({ ...version, status }, status === 'uploaded' ? 'has other content' : `is ${status}`)
}

function refused({ id }: Pick<ConfigurationVersion, 'id' | 'status'>, why: string): TacoError {
  return new TacoError('CONFLICT', `The configuration version ${id} ${why}.`, {
    facts: { id },
    hint: 'Create another one.',
  })
}
