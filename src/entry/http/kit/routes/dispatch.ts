import {
  type Access,
  type Action,
  type Principal,
  type Resource,
  principalText,
  stranger,
} from '../../../../access/index.ts'
import { next } from '../../../../base/maybe-later.ts'
import { TacoError, isTacoError } from '../../../../base/errors.ts'
import { type Guard, unauthenticated } from '../../auth/auth.ts'
import { checkSameOrigin } from '../../auth/cross-site.ts'
import { withoutHiddenName } from '../../auth/hidden-name.ts'
import { type PermitOptions, createPermit, refuseRunToken } from '../../auth/permit.ts'
import type { Audit } from '../../../../state/index.ts'
import type { Exchange, FaceStyle } from '../exchange.ts'
import type { Limits } from '../limits.ts'
import { keyedRequest } from '../request/idempotency.ts'
import { checkFormType, parseForm } from '../request/form.ts'
import { checkJsonType } from '../request/json-type.ts'
import { parseQuery, validated } from '../request/query.ts'
import { declaredBytes, parseJson, receivedWhole } from '../request/receive.ts'
import { checkHeaderCount, checkTarget } from '../request/request-target.ts'
import { refuseConditions } from '../response/etag.ts'
import { wrongMethod } from '../response/http-error.ts'
import { type Reply, sendReply } from '../response/reply.ts'
import { checkPath, decodeRest, decodeSegment } from '../unit-path.ts'
import { createMatcher, namesIn } from './match.ts'
import { createRecorder } from './recorder.ts'
import type { BodySpec, Demand, Method, Route } from './route.ts'

/** A part of the address space: its routes, and how it speaks where no route matches. */
export interface Face {
  /** What its paths begin with. The longest that fits answers. */
  readonly prefix: string
  readonly style: FaceStyle
  readonly routes: readonly Route[]
  /** What the handlers of its routes get. */
  readonly services: unknown
  /** False: another face says what to say of a path that no route has. */
  isFor?(x: Exchange): boolean
  /** Identifies the caller, where the face accepts other credentials than the guard. */
  identify?(x: Exchange): Principal | Promise<Principal>
  /** Called once the caller is known, before anything else is read. What it throws is the answer. */
  admit?(x: Exchange): void
  /** What to say of a path that no route has. */
  missing(x: Exchange): Error
}

export interface DispatchDeps {
  readonly guard: Guard
  readonly access: Access
  readonly limits: Limits
  readonly isMetricsOpen?: boolean
  readonly control: { readonly audit: Audit }
}

interface Row {
  readonly method: Method
  readonly path: string
  readonly route: Route
  readonly face: Face
  readonly names: ReturnType<typeof namesIn>
  /** The parsed query of a request without one: the same for all of them. */
  readonly noQuery: () => unknown
}

export interface Dispatcher {
  /** Finds the route, so that whatever happens from now on is answered and counted as its face and its route say. */
  find(x: Exchange): Found
  /** Authorises, and calls the handler. Undefined: answered already. */
  answer(x: Exchange, found: Found): Promise<void> | undefined
}

export interface Found {
  readonly isProbe: boolean
  readonly row: Row | undefined
  readonly face: Face | undefined
  readonly values: readonly string[]
  /** What the request is about, once that is known. */
  asked?: Resource
  /** Says why there is no row. */
  readonly refusal?: () => Error
}

/**
 * The one way from a request to its handler, for every face: match, identify, parse, authorise, handle. It is
 * synchronous as far as the guard and the handler are: a small state is answered in the turn in which it is asked for.
 */
export function createDispatcher(faces: readonly Face[], deps: DispatchDeps): Dispatcher {
  const { guard, access, limits } = deps
  const permit = createPermit(access)

  /** Notes on the exchange what was denied, for the audit: the answer may say that it does not exist. */
  function permitFor(x: Exchange) {
    return <R extends Resource>(action: Action, resource: R, options?: PermitOptions): R | Promise<R> =>
      permit(x.principal, action, resource, { ...options, onDenied: () => (x.isDenied = true) })
  }
  const recorder = createRecorder(deps.control.audit)
  const rows = faces.flatMap((face) => face.routes.map((route) => rowOf(route, face)))
  const match = createMatcher(rows)
  const byLength = faces.toSorted((a, b) => b.prefix.length - a.prefix.length)

  function isOpen({ openness }: Route): boolean {
    return openness === 'everybody' || (openness === 'metrics' && deps.isMetricsOpen === true)
  }

  function find(x: Exchange): Found {
    const matched = match(x.path)
    const row = matched?.methods.get(x.method)
    if (matched === undefined || row === undefined) return notFound(x, matched?.methods)
    x.route = row.route.pattern
    x.action = row.route.action
    x.hasSecretPath = row.route.hasSecretPath === true
    x.style = row.route.style
    x.services = row.face.services
    return { isProbe: row.route.isProbe === true, row, face: row.face, values: matched.values }
  }

  /** The first face answers for what no other one is for. */
  function faceOf(x: Exchange): Face | undefined {
    return byLength.find((face) => x.path.startsWith(face.prefix) && face.isFor?.(x) !== false) ?? faces[0]
  }

  function notFound(x: Exchange, methods: ReadonlyMap<string, Row> | undefined): Found {
    const face = faceOf(x)
    if (face !== undefined) {
      x.style = face.style
      x.services = face.services
    }
    const [other] = methods?.values() ?? []
    if (other !== undefined) x.route = other.route.pattern
    const refusal = () =>
      methods === undefined
        ? (face?.missing(x) ?? new Error('no face answers for this path'))
        : wrongMethod(methods.keys())
    return { isProbe: false, row: undefined, face, values: [], refusal }
  }

  function answer(x: Exchange, found: Found): Promise<void> | undefined {
    const refused = (error: unknown): never => {
      recorder.refused(x, error, found.row?.route, () => askedFor(x, found))
      throw withoutHiddenName(error, x.sight)
    }
    try {
      return begin(x, found)?.catch(refused)
    } catch (error) {
      return refused(error)
    }
  }

  function begin(x: Exchange, found: Found): Promise<void> | undefined {
    checkHeaderCount(x.req, limits.maxHeaders)
    checkTarget(x.req)
    checkPath(x.path)
    checkSameOrigin(x.req, found.row?.route.fromOtherSites)
    x.claim = guard.claim
    const who = identified(x, found)
    if (who instanceof Promise) return who.then((principal) => proceed(x, found, principal))
    return proceed(x, found, who)
  }

  /** A credential that is wrong does not close what is open to everybody. */
  function identified(x: Exchange, { row, face }: Found): Principal | Promise<Principal> {
    const identify = () =>
      face?.identify?.(x) ?? guard.identify({ headers: x.req.headers, address: x.address })
    if (row === undefined || !isOpen(row.route)) return identify()
    const asStranger = (error: unknown): Principal => {
      if (isTacoError(error, 'UNAUTHENTICATED', 'RATE_LIMITED')) return stranger
      throw error
    }
    try {
      const who = identify()
      return who instanceof Promise ? who.catch(asStranger) : who
    } catch (error) {
      return asStranger(error)
    }
  }

  function permitted(x: Exchange, route: Route, asked: Resource): Resource | Promise<Resource> {
    return isOpen(route) ? asked : permitFor(x)(x.action ?? route.action, asked, route)
  }

  /** Where people can sign in, the root token is for the first set-up: even its reads are recorded. */
  function isRecordedUse(principal: Principal): boolean {
    return guard.kind === 'sso' && principal.kind === 'token' && principal.use === 'root'
  }

  function sightIn(x: Exchange, { org }: Resource) {
    return org === undefined ? undefined : access.sight(x.principal, org)
  }

  /** The credential may have been revoked or have expired, and the rights of the caller may have changed. */
  async function checkAgain(x: Exchange, found: Found, asked: Resource): Promise<void> {
    const principal = await identified(x, found)
    if (principalText(principal) !== principalText(x.principal))
      throw unauthenticated('The credential is not valid any more.')
    x.principal = principal
    const target = found.row === undefined ? asked : await permitted(x, found.row.route, asked)
    const sight = await sightIn(x, target)
    // Lists of those who see everything are made in another way.
    if (sight !== undefined && x.sight === undefined)
      throw new TacoError('FORBIDDEN', 'Your rights have changed.', { hint: 'Send the request again.' })
    x.sight = sight
  }

  function proceed(x: Exchange, found: Found, principal: Principal): Promise<void> | undefined {
    const { row, values, refusal } = found
    x.principal = principal
    found.face?.admit?.(x)
    if (row === undefined) {
      // Only callers that may read the server learn what exists.
      const refuse = () => {
        throw refusal?.() ?? new Error('neither a route nor a refusal')
      }
      return next(permitFor(x)('server:read', {}), refuse)
    }
    const { route } = row
    if (!isOpen(route)) refuseStranger(x, route)
    if (!isOpen(route)) refuseRunToken(principal, route)
    const { params, query } = parsed(x, row, values)
    x.action = route.actionOf?.({ params, query } as Parameters<Route['target']>[0]) ?? route.action
    return next(route.target({ params, query }, row.face.services), (asked) => {
      found.asked = asked
      x.checkAgain = () => checkAgain(x, found, asked)
      return next(permitted(x, route, asked), (target) => {
        return next(sightIn(x, target), (sight) => {
          x.sight = sight
          if (isSafe(route.method) && isRecordedUse(principal)) recorder.used(x, target)
          const request = { params, query, target, headers: x.req.headers, x, body: undefined }
          return route.isRaw ? answerRaw(x, row, request) : answerParsed(x, row, request)
        })
      })
    })
  }

  /** A stranger learns that a credential is missing, and nothing about how the request should look. */
  function refuseStranger(x: Exchange, { action }: Route): void {
    const { principal } = x
    if (principal.kind === 'anonymous' && !principal.isOpenServer) void permitFor(x)(action, {})
  }

  function answerRaw(
    x: Exchange,
    { route, face }: Row,
    request: Parameters<Route['handle']>[0],
  ): Promise<void> | undefined {
    return next(demand(permitFor(x), { route, face }, request), () => {
      const handling = route.handle(request, face.services) as Promise<void> | undefined
      if (isSafe(route.method)) return handling
      const { target } = request
      return handling?.then(() => recorder.done(x, route, { status: x.res.statusCode, target }))
    })
  }

  /** What a request is about that was refused before that was of interest. */
  function askedFor(x: Exchange, { row, values, asked }: Found): Resource {
    if (asked !== undefined || row === undefined) return asked ?? {}
    try {
      const target = row.route.target(parsed(x, row, values), row.face.services)
      if (!(target instanceof Promise)) return target
      // It is not worth a look into the bucket.
      target.catch(() => {})
      return {}
    } catch {
      return {}
    }
  }

  async function answerParsed(
    x: Exchange,
    { route, face }: Row,
    request: Parameters<Route['handle']>[0],
  ): Promise<void> {
    const { bytes, body } = await bodyOf(x, route)
    const demands = await demand(permitFor(x), { route, face }, { ...request, body })
    if (takes(route, 'idempotency-key')) {
      const key = x.req.headers['idempotency-key']?.toString()
      const says = [x.method, x.path, x.query, bytes.toString()]
      x.keyed = keyedRequest(key, principalText(x.principal), says)
    }
    const reply = await route.handle({ ...request, body, caller: x.caller }, face.services)
    await recorder.done(x, route, { status: (reply as Reply).status, target: request.target, demands })
    await sendReply(x, reply as Reply, { isSecret: route.isSecret === true, limits })
  }

  async function bodyOf(x: Exchange, route: Route): Promise<{ bytes: Buffer; body: unknown }> {
    const spec: Partial<BodySpec> = route.body ?? {}
    const isAnnounced = hasBody(x, route)
    if ((isAnnounced || x.method === 'POST') && spec.isAnyType !== true)
      (spec.isForm === true ? checkFormType : checkJsonType)(x.req.headers['content-type'])
    const bytes = isAnnounced ? await receivedWhole(x, limits[spec.limit ?? 'maxJsonBytes']) : Buffer.alloc(0)
    if (spec.schema === undefined || (bytes.byteLength === 0 && spec.isRequired === false))
      return { bytes, body: undefined }
    const given = spec.isForm === true ? parseForm(bytes) : parseJson(bytes)
    return { bytes, body: validated(spec.schema, given, spec.hint) }
  }

  return { find, answer }
}

type PermitHere = (action: Action, resource: Resource, options?: PermitOptions) => unknown

/** At once where no right has to be looked up. */
function demand(
  permit: PermitHere,
  { route, face }: Pick<Row, 'route' | 'face'>,
  given: Parameters<NonNullable<Route['also']>>[0],
): readonly Demand[] | Promise<readonly Demand[]> {
  return next(route.also?.(given, face.services) ?? [], (demands) => {
    const waiting: Promise<unknown>[] = []
    for (const { action, resource, isNewName } of demands) {
      const permitted = permit(action, resource, isNewName === true ? { ...route, isNewName } : route)
      if (permitted instanceof Promise) waiting.push(permitted)
    }
    return waiting.length === 0 ? demands : Promise.all(waiting).then(() => demands)
  })
}

function parsed(x: Exchange, row: Row, values: readonly string[]) {
  const { route } = row
  if (!isSafe(route.method) && !takes(route, 'if-match')) refuseConditions(x.req.headers)
  const params = validParams(row, values)
  const query =
    x.query === ''
      ? row.noQuery()
      : route.query === undefined
        ? {}
        : validated(route.query, parseQuery(x.query))
  return { params, query }
}

function rowOf(route: Route, face: Face): Row {
  let noQuery: unknown
  return {
    method: route.method,
    path: route.path,
    route,
    face,
    names: namesIn(route.path),
    noQuery: () => (noQuery ??= route.query === undefined ? {} : Object.freeze(validated(route.query, {}))),
  }
}

function validParams({ route, names }: Row, values: readonly string[]): unknown {
  const given: Record<string, string> = {}
  let i = 0
  for (const { name, isRest } of names) {
    const value = values[i++] ?? ''
    given[name] = isRest ? decodeRest(value, name) : decodeSegment(value, name)
  }
  return route.params === undefined ? given : validated(route.params, given)
}

function isSafe(method: Method): boolean {
  return method === 'GET'
}

function takes({ headers }: Route, name: string): boolean {
  return headers !== undefined && name in headers.shape
}

/** An omitted body and an empty one are the same for a GET, and for a DELETE that takes none. */
function hasBody(x: Exchange, { body }: Route): boolean {
  if (['GET', 'HEAD'].includes(x.method) || (x.method === 'DELETE' && body === undefined)) return false
  return (declaredBytes(x) ?? (x.req.headers['transfer-encoding'] === undefined ? 0 : 1)) > 0
}
