import { isTacoError } from '../../base/errors.ts'
import type { Bucket, Leases } from '../../bucket/index.ts'
import { conflict } from '../../bucket/index.ts'
import type { Metrics } from '../../entry/http/index.ts'

type Confirmer = ReturnType<NonNullable<Bucket['confirmer']>>

/** Counts every operation and its time. By prototype, so that whatever else an adapter offers stays within reach. */
export function metered(bucket: Bucket, metrics: Metrics): Bucket {
  async function timed<T>(operation: string, work: Promise<T>, outcomeOf: (result: T) => string): Promise<T> {
    const started = performance.now()
    try {
      const result = await work
      metrics.bucketRequest(operation, outcomeOf(result), performance.now() - started)
      return result
    } catch (error) {
      metrics.bucketRequest(
        operation,
        isTacoError(error) ? error.code : 'UNEXPECTED',
        performance.now() - started,
      )
      throw error
    }
  }

  const found = (result: unknown) =>
    result === undefined ? 'absent' : result === 'unchanged' ? 'unchanged' : 'found'
  const changes: Partial<Bucket> = {
    get: (key: string, options?: Parameters<Bucket['get']>[1]) =>
      timed('get', bucket.get(key, options), found),
    head: (key, options) => timed('head', bucket.head(key, options), found),
    put: (key, body, when, options) =>
      timed('put', bucket.put(key, body, when, options), (result) => result.kind),
    delete: (key, when, options) =>
      timed('delete', bucket.delete(key, when, options), (result) =>
        typeof result === 'string' ? result : result.kind,
      ),
    async *list(prefix, options) {
      const pages = bucket.list(prefix, options)[Symbol.asyncIterator]()
      try {
        for (;;) {
          const page = await timed('list', pages.next(), () => 'page')
          if (page.done === true) return
          yield page.value
        }
      } finally {
        await pages.return?.()
      }
    },
  }
  const leases = bucket.locks?.leases
  if (bucket.locks !== undefined && leases !== undefined) {
    const lease = <T>(work: Promise<T>) => timed('lease', work, granted)
    const timedLeases: Leases = {
      look: (key) => timed('head', leases.look(key), found),
      isHeld: (key, id) => lease(leases.isHeld(key, id)),
      acquire: (key, id, when) => lease(leases.acquire(key, id, when)),
      change: (key, from, to) => lease(leases.change(key, from, to)),
      note: (at, id, note) => lease(leases.note(at, id, note)),
      release: (key, id) => lease(leases.release(key, id)),
      break: (key, when) => lease(leases.break(key, when)),
    }
    Object.assign(changes, { locks: { ...bucket.locks, leases: timedLeases } })
  }
  if (bucket.confirmer !== undefined) {
    const { confirmer } = bucket
    changes.confirmer = (key, tag) => timedConfirmer(confirmer(key, tag), metrics)
  }
  return Object.assign(Object.create(bucket) as Bucket, changes)
}

function granted(result: unknown): string {
  const isRefused = result === undefined || result === false || result === conflict
  return isRefused ? 'conflict' : 'done'
}

function timedConfirmer(ask: Confirmer, metrics: Metrics): Confirmer {
  return () => {
    const started = performance.now()
    const answer = ask()
    metrics.bucketRequest('confirm', answer === true ? 'unchanged' : 'unknown', performance.now() - started)
    return answer
  }
}
