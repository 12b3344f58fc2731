import type { Bucket } from '../src/bucket/index.ts'

export interface Operation {
  readonly kind: 'get' | 'head' | 'put' | 'delete' | 'list'
  readonly key: string
  readonly from: number
  readonly to: number
}

export interface Counted {
  readonly bucket: Bucket
  /** Since the last call of it. One page of a listing is one operation. */
  take(): readonly Operation[]
}

/** Writes down every request that goes to the bucket. */
export function counted(inner: Bucket): Counted {
  let operations: Operation[] = []

  async function timed<T>(kind: Operation['kind'], key: string, work: Promise<T>): Promise<T> {
    const from = performance.now()
    try {
      return await work
    } finally {
      operations.push({ kind, key, from, to: performance.now() })
    }
  }

  const bucket: Bucket = {
    ...inner,
    get: ((key: string, options?: Parameters<Bucket['get']>[1]) =>
      timed('get', key, inner.get(key, options))) as Bucket['get'],
    head: (key, options) => timed('head', key, inner.head(key, options)),
    put: (key, body, when, options) => timed('put', key, inner.put(key, body, when, options)),
    delete: (key, when, options) => timed('delete', key, inner.delete(key, when, options)),
    ...(inner.mark === undefined
      ? {}
      : {
          mark: (prefix: string) => timed('head', prefix, inner.mark?.(prefix) ?? Promise.resolve(undefined)),
        }),
    async *list(prefix, options) {
      let from = performance.now()
      let pages = 0
      for await (const page of inner.list(prefix, options)) {
        if (pages++ === 0 || !inner.can.listsInOneRequest)
          operations.push({ kind: 'list', key: prefix, from, to: performance.now() })
        yield page
        from = performance.now()
      }
    },
  }
  return {
    bucket,
    take() {
      const taken = operations
      operations = []
      return taken
    },
  }
}
