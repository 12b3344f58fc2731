import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Action,
  type Caller,
  type Origin,
  type Principal,
  type Session,
  type Sight,
  stranger,
} from '../../../access/index.ts'
import type { Connection } from './connection.ts'
import type { RenderedError } from './response/http-error.ts'

/** How a face says what went wrong. `x` is missing for what never became a request. */
export type ErrorRenderer = (error: unknown, requestId: string, x?: Exchange) => RenderedError

/** How one face answers. */
export interface FaceStyle {
  readonly errors: ErrorRenderer
  /** The same with what has to be read first. If it fails, `errors` answers. */
  readonly errorPage?: (error: unknown, requestId: string, x: Exchange) => Promise<RenderedError>
  /** Sent with every answer. */
  readonly headers: Readonly<Record<string, string>>
}

/** One request and its answer, from the first byte to the log line. */
export class Exchange {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly requestId: string
  /** Where it comes from. */
  readonly address: string
  readonly path: string
  /** Without the question mark; parsed only by who needs it. */
  readonly query: string
  readonly startedAt = performance.now()
  /** Of the face that answers. */
  style: FaceStyle
  /** What the handlers of that face get; its error pages are made from it as well. */
  services: unknown
  /** Set once the caller was identified. */
  principal: Principal = stranger
  /** Of a caller that a browser's session identified. */
  session: Session | undefined
  /** Undefined: the caller may see and do everything. */
  sight: Sight | undefined
  /** Throws if the caller could not make this request any more. For answers that go on for long. */
  checkAgain: () => Promise<void> = () => Promise.resolve()
  /** What the caller says of itself. */
  claim: string | undefined
  /** Of a request with an Idempotency-Key that its route takes. */
  keyed: Caller['request']
  /** The pattern that matched, for metrics and logs. */
  route = 'none'
  /** The path is a secret. */
  hasSecretPath = false
  /** Values of `Set-Cookie`. Undefined for nearly all answers. */
  cookies: string[] | undefined
  /** What the route is for. */
  action: Action | undefined
  /** Set where access is denied, so that the audit knows it even if the answer hides it as NOT_FOUND. */
  isDenied = false
  /** True while nothing but the client can move things on: only then may an idle connection be cut. */
  waitsForClient = false
  #awaitsContinue: boolean
  #connection: Connection
  #origin: Origin | undefined

  constructor(
    req: IncomingMessage,
    res: ServerResponse,
    options: {
      requestId: string
      address: string
      awaitsContinue: boolean
      connection: Connection
      style: FaceStyle
    },
  ) {
    this.req = req
    this.res = res
    this.requestId = options.requestId
    this.address = options.address
    this.style = options.style
    this.#awaitsContinue = options.awaitsContinue
    this.#connection = options.connection
    const url = req.url ?? '/'
    const mark = url.indexOf('?')
    this.path = mark === -1 ? url : url.slice(0, mark)
    this.query = mark === -1 ? '' : url.slice(mark + 1)
  }

  get method(): string {
    return this.req.method ?? 'GET'
  }

  /** Aborted when the client goes away. */
  get signal(): AbortSignal {
    return this.#connection.signal
  }

  /**
   * Changes are carried through once the request has come in whole: the client may be gone, but its retry must find
   * them done or not done, and sooner rather than later. So there is no signal here.
   */
  get caller(): Caller {
    const { principal, claim, requestId, sight } = this
    const caller = { principal, claim, requestId, sight, origin: this.#from }
    return this.keyed === undefined ? caller : { ...caller, request: this.keyed }
  }

  addCookie(cookie: string): void {
    ;(this.cookies ??= []).push(cookie)
  }

  /** One object for the whole request: by it, the audit knows whether the request made an event. */
  get #from(): Origin {
    const { address, action } = this
    this.#origin ??=
      action === undefined ? { address } : { address, action, route: `${this.method} ${this.route}` }
    return this.#origin
  }

  get isAwaitingContinue(): boolean {
    return this.#awaitsContinue
  }

  /** Asks for the body, where the client waits to be asked. */
  invite(): void {
    if (!this.#awaitsContinue) return
    this.#awaitsContinue = false
    this.res.writeContinue()
  }
}
