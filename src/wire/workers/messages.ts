import type { CarriedError } from '../carried-error.ts'
import type { ServeOptions } from '../serve-options.ts'

/** What the parent of worker processes says to one of them. */
export type ToWorker =
  | { readonly kind: 'serve'; readonly number: number; readonly options: ServeOptions }
  | { readonly kind: 'stop' }
  /** It wants to know the worker's own metrics. */
  | { readonly kind: 'count' }
  | { readonly kind: 'metrics'; readonly text: string }
  | WrongToken

/** What a worker process says to its parent. */
export type ToParent =
  /** It listens: what is said before is lost. */
  | { readonly kind: 'awake' }
  | { readonly kind: 'ready'; readonly url: string; readonly bucket: string }
  | { readonly kind: 'failed'; readonly error: CarriedError }
  | { readonly kind: 'counted'; readonly text: string }
  /** It wants to know the metrics of all. */
  | { readonly kind: 'metrics' }
  | WrongToken

/** Every worker counts it, so that the limit is one for all of them. */
interface WrongToken {
  readonly kind: 'wrong-token'
  readonly address: string
}
