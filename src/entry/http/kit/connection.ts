import { TacoError } from '../../../base/errors.ts'

export interface RequestUnderWay {
  readonly waitsForClient: boolean
  readonly req: { readonly complete: boolean }
  readonly res: { readonly writableFinished: boolean }
}

/** What is known of a client's connection, for all the requests that come over it. */
export class Connection {
  /** The request that was begun last. */
  current: RequestUnderWay | undefined
  #gone: AbortController | undefined

  /**
   * Aborted when the client goes away. One for the whole connection, because creating one costs as much as answering a
   * request; listeners must be removed when done.
   */
  get signal(): AbortSignal {
    this.#gone ??= new AbortController()
    return this.#gone.signal
  }

  /** Nothing but the client can move things on, so silence means that it is gone. */
  get isClientsTurn(): boolean {
    const x = this.current
    return x === undefined || x.waitsForClient || x.res.writableFinished || !x.req.complete
  }

  close(): void {
    this.#gone?.abort(new TacoError('CANCELLED', 'The client closed the connection.'))
  }
}
