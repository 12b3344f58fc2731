import { isTacoError } from '../base/errors.ts'
import type { Bucket } from '../bucket/index.ts'
import type { Metrics } from '../entry/http/index.ts'

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
  if (bucket.confirmer !== undefined) {
    const { confirmer } = bucket
    changes.confirmer = (key, tag) => timedConfirmer(confirmer(key, tag), metrics)
  }
  return Object.assign(Object.create(bucket) as Bucket, changes)
}

function timedConfirmer(ask: Confirmer, metrics: Metrics): Confirmer {
  return () => {
    const started = performance.now()
    const answer = ask()
    metrics.bucketRequest('confirm', answer === true ? 'unchanged' : 'unknown', performance.now() - started)
    return answer
  }
}
