import type { IncomingHttpHeaders } from 'node:http'
import type { z } from 'zod'
import type { Action, Resource } from '../../../../access/index.ts'
import type { Caller } from '../../../../state/index.ts'
import type { ErrorRenderer, Exchange, FaceStyle } from '../exchange.ts'
import type { Reply, ReplyBody, ReplyHeaders } from '../response/reply.ts'

export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE' | 'LOCK' | 'UNLOCK'

/** Who may call a route without a credential. `metrics`: everyone, if the server runs with --metrics-open. */
export type Openness = 'nobody' | 'everybody' | 'metrics'

/** A further right that a request needs, because of what it asks for. */
export interface Demand {
  readonly action: Action
  readonly resource: Resource
  /** The unit of the resource is a name that a unit is about to get. */
  readonly isNewName?: boolean
}

/** A JSON document in a request, or the fields of a form. */
export interface BodySpec<T extends z.ZodType = z.ZodType> {
  readonly schema: T
  /** False: it may be left out. */
  readonly isRequired?: boolean
  readonly limit?: 'maxJsonBytes' | 'maxLockInfoBytes' | 'maxFormBytes' | 'maxInlineStateBytes'
  readonly isForm?: boolean
  /** True: whatever Content-Type says. */
  readonly isAnyType?: boolean
  readonly hint?: string
}

/** As OpenAPI describes it. */
export interface AnswerSpec {
  readonly description: string
  readonly content?: Readonly<Record<string, { readonly schema: z.ZodType }>>
}
export type Answers = Readonly<Record<number | 'default', AnswerSpec>> | Readonly<Record<number, AnswerSpec>>

interface Described {
  readonly method: Method
  /** `/v1/units/{unit}`. A last part `{unit...}` takes the rest of the path, slashes included. */
  readonly path: string
  readonly action: Action
  /** Nobody, unless it says otherwise. */
  readonly openness?: Openness
  /** True: also the bearer of a run token, who is refused everywhere else. */
  readonly takesRunTokens?: boolean
  /**
   * What another site may make a browser send; nothing, unless it says otherwise. `links`: the person followed a link
   * or was redirected. `forms`: also a form that the other site filled in.
   */
  readonly fromOtherSites?: 'links' | 'forms'
  /** True: it shows or changes only what the caller may see, so a right on some units is enough to call it. */
  readonly isFiltered?: boolean
  /** True: engines call it, and take 404 as "there is no state yet". */
  readonly isForEngines?: boolean
  /** What generated clients call it. A name that was published stays, even if the path changes. */
  readonly id: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  /**
   * Headers with a meaning of their own. A change without `if-match` here refuses conditions; one with
   * `idempotency-key` is made once.
   */
  readonly headers?: z.ZodObject
  readonly answers: Answers
  /** Instead of that of the face. */
  readonly errors?: ErrorRenderer
  /** True: the answer holds secrets, so it is never compressed: its size would tell about them. */
  readonly isSecret?: boolean
  /**
   * `counted`: it comes every few seconds, so the audit records it once a minute with a number. Any other change that
   * makes no event is recorded before it is answered.
   */
  readonly audit?: 'counted'
  /** True: the path holds a secret, so logs have the pattern instead. */
  readonly hasSecretPath?: boolean
  /** True: asked by what watches the server, every few seconds for ever. It does not count as use. */
  readonly isProbe?: boolean
}

type Schema = z.ZodType | undefined
type Out<T> = T extends z.ZodType ? z.output<T> : Readonly<Record<string, never>>
type OutBody<B> =
  B extends BodySpec<infer T>
    ? B extends { isRequired: false }
      ? z.output<T> | undefined
      : z.output<T>
    : undefined

interface Addressed<P extends Schema, Q extends Schema> {
  readonly params: Out<P>
  readonly query: Out<Q>
}

interface Asked<P extends Schema, Q extends Schema, B, R> extends Addressed<P, Q> {
  readonly body: OutBody<B>
  readonly target: R
  readonly headers: IncomingHttpHeaders
}

/** What a handler gets: everything parsed, and the target as the caller may act on it. */
export interface ParsedRequest<P extends Schema, Q extends Schema, B, R> extends Asked<P, Q, B, R> {
  readonly caller: Caller
  readonly x: Exchange
}

interface Typed<S, P extends Schema, Q extends Schema, B extends BodySpec | undefined, R extends Resource> {
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  /**
   * The organization and the unit that the request is about. A promise where an id must be looked up first; then it is
   * asked only for callers that have a credential. The handler gets what it answers.
   */
  readonly target: (given: Addressed<P, Q>, services: S) => R | Promise<R>
  /** Instead of `action`, where the address says what the request is for. */
  readonly actionOf?: (given: Addressed<P, Q>) => Action
  /** Further rights that it needs, by what it asks for. A promise where something must be looked up first. */
  readonly also?: (given: Asked<P, Q, B, R>, services: S) => readonly Demand[] | Promise<readonly Demand[]>
}

type JsonOf<A> = A extends { content: { 'application/json': { schema: infer T extends z.ZodType } } }
  ? { readonly json: z.input<T> } | ReplyBody
  : A extends { content: object }
    ? ReplyBody
    : object
/** One of the answers that the route declares. */
export type ReplyOf<A> = {
  [S in keyof A & number]: { readonly status: S; readonly headers?: ReplyHeaders } & JsonOf<A[S]>
}[keyof A & number]

export interface Definition<
  S,
  P extends Schema,
  Q extends Schema,
  B extends BodySpec | undefined,
  R extends Resource,
  A extends Answers,
>
  extends Described, Typed<S, P, Q, B, R> {
  readonly answers: A
  /** NoInfer: the other parts say what it may answer, not the other way round. */
  readonly handle: NoInfer<
    (request: ParsedRequest<P, Q, B, R>, services: S) => ReplyOf<A> | Promise<ReplyOf<A>>
  >
}

/** Its handler takes the body as it comes, and answers by itself: for states, which are streamed. */
export interface RawDefinition<
  S,
  P extends Schema,
  Q extends Schema,
  B extends BodySpec | undefined,
  R extends Resource,
>
  extends Described, Typed<S, P, Q, B, R> {
  readonly handle: (
    request: Omit<ParsedRequest<P, Q, undefined, R>, 'body' | 'caller'>,
    services: S,
  ) => void | Promise<void>
}

type Given = ParsedRequest<z.ZodType, z.ZodType, BodySpec, Resource>
type AskedOf = Omit<Given, 'caller' | 'x'>

/** A row of the table. */
export interface Route extends Described {
  readonly openness: Openness
  readonly params: z.ZodType | undefined
  readonly query: z.ZodType | undefined
  readonly body: BodySpec | undefined
  readonly style: FaceStyle
  readonly isRaw: boolean
  /** The path as the document, logs and metrics write it. */
  readonly pattern: string
  target(given: Pick<Given, 'params' | 'query'>, services: unknown): Resource | Promise<Resource>
  actionOf?(given: Pick<Given, 'params' | 'query'>): Action
  also?(given: AskedOf, services: unknown): readonly Demand[] | Promise<readonly Demand[]>
  /** Only a parsed request has a caller: a raw handler makes it from the exchange, when it knows the body. */
  handle(
    request: Omit<Given, 'caller'> & { readonly caller?: Caller },
    services: unknown,
  ): Reply | Promise<Reply> | void | Promise<void>
}

/** How a face with these services writes its routes. The types of one row fit each other; the table knows them no more. */
export function routesOf<S>(style: FaceStyle) {
  function made(definition: object, isRaw: boolean): Route {
    const described = definition as Route
    return {
      ...described,
      openness: described.openness ?? 'nobody',
      style: described.errors === undefined ? style : { ...style, errors: described.errors },
      pattern: described.path.replace('...}', '}'),
      isRaw,
    }
  }
  return {
    route: <
      P extends Schema = undefined,
      Q extends Schema = undefined,
      B extends BodySpec | undefined = undefined,
      R extends Resource = Resource,
      const A extends Answers = Answers,
    >(
      definition: Definition<S, P, Q, B, R, A>,
    ): Route => made(definition, false),
    rawRoute: <
      P extends Schema = undefined,
      Q extends Schema = undefined,
      B extends BodySpec | undefined = undefined,
      R extends Resource = Resource,
    >(
      definition: RawDefinition<S, P, Q, B, R>,
    ): Route => made(definition, true),
  }
}
