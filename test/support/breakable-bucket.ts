import { TacoError } from '../../src/base/errors.ts'
import { openMemoryBucket } from '../../src/bucket/adapters/memory.ts'
import type { Bucket } from '../../src/bucket/index.ts'

/** A bucket in memory that can stop to answer, and counts what was asked of it in vain. */
export function breakableBucket(): {
  readonly bucket: Bucket
  setDown(isDown: boolean): void
  failures(): number
} {
  let isDown = false
  let failures = 0
  const failure = () => {
    failures++
    return new TacoError('BUCKET_UNAVAILABLE', 'The bucket is unavailable.')
  }
  const { atHand: _atHand, confirmer: _confirmer, mark: _mark, ...memory } = openMemoryBucket()
  const bucket: Bucket = {
    ...memory,
    get: ((...args: Parameters<Bucket['get']>) =>
      isDown ? Promise.reject(failure()) : memory.get(...args)) as Bucket['get'],
    head: (...args) => (isDown ? Promise.reject(failure()) : memory.head(...args)),
    put: (...args) => (isDown ? Promise.reject(failure()) : memory.put(...args)),
    delete: (...args) => (isDown ? Promise.reject(failure()) : memory.delete(...args)),
    async *list(...args) {
      if (isDown) throw failure()
      yield* memory.list(...args)
    },
  }
  return {
    bucket,
    setDown(down) {
      isDown = down
    },
    failures: () => failures,
  }
}
