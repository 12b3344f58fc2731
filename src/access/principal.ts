import type { RunScope } from './run-scope.ts'

/** Who calls. Everything that is decided or recorded about a caller follows from this, never from what a request claims. */
export type Principal =
  | UserPrincipal
  | TeamPrincipal
  | TokenPrincipal
  /** The root token: for the first set-up. */
  | { readonly kind: 'token'; readonly use: 'root'; readonly name: 'root' }
  | {
      readonly kind: 'run'
      readonly id: string
      /** All that it may touch. */
      readonly scope: RunScope
      /** Requested the run token. What the run does is credited to them. */
      readonly issuedTo: Author
      /** What it reads besides the state of its own unit, they must be allowed to read. Undefined: they may read everything. */
      readonly reader?: MemberPrincipal | undefined
    }
  | { readonly kind: 'system'; readonly name: SystemName }
  /** `isOpenServer`: the server asks for no credential (`--auth none`). Otherwise a stranger, who may do nothing. */
  | { readonly kind: 'anonymous'; readonly isOpenServer: boolean }

/** How a caller proved who they are. */
export type Via =
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'token'; readonly id: string; readonly name: string }

/** Narrows what a token may do to these actions and units. It never adds anything. */
export interface TokenScope {
  /** Patterns of actions: `state:read`, `state:*`. Undefined: all. */
  readonly actions?: readonly string[] | undefined
  /** Patterns of unit names: `prod/**`. Undefined: all. */
  readonly units?: readonly string[] | undefined
}

/** A person, signed in or with a personal token. */
export interface UserPrincipal {
  readonly kind: 'user'
  readonly id: string
  /** The login name. It is never given to another person, so records may hold it. */
  readonly name: string
  /** Of the identity providers: `<provider>/<group>`. */
  readonly groups: readonly string[]
  /** Verified by an identity provider. */
  readonly email?: string | undefined
  readonly via: Via
  readonly scope?: TokenScope | undefined
}

/** The bearer of a team's token, who has the rights of the team. */
export interface TeamPrincipal {
  readonly kind: 'team'
  readonly id: string
  readonly name: string
  readonly org: string
  readonly via: Via
  readonly scope?: TokenScope | undefined
}

/** The bearer of a token that stands for no person and no team. It has roles of its own, in one organization. */
export interface TokenPrincipal {
  readonly kind: 'token'
  readonly use: 'organization' | 'agent' | 'workload'
  readonly id: string
  readonly name: string
  readonly org: string
  readonly roles: readonly string[]
  readonly scope?: TokenScope | undefined
}

/** Has rights through roles. */
export type MemberPrincipal = UserPrincipal | TeamPrincipal | TokenPrincipal

export function isMember(principal: Principal): principal is MemberPrincipal {
  return (
    principal.kind === 'user' ||
    principal.kind === 'team' ||
    (principal.kind === 'token' && principal.use !== 'root')
  )
}

/**
 * Parts of OpenTaco that act on their own. `opentaco`: repairs and completes what requests left. `upkeep`: the
 * background checks and retention. `rollouts`: steps whose worker is gone. `graph`: reads for the
 * graph in memory, which all callers share. `access`: looks up the unit that a decision is about. `outside`: an author
 * only, for changes that were made around OpenTaco.
 */
export type SystemName = 'opentaco' | 'upkeep' | 'rollouts' | 'graph' | 'access' | 'outside'

export type RunPrincipal = Extract<Principal, { readonly kind: 'run' }>

export const rootToken: Principal = { kind: 'token', use: 'root', name: 'root' }
export const openServerUser: Principal = { kind: 'anonymous', isOpenServer: true }
export const stranger: Principal = { kind: 'anonymous', isOpenServer: false }

/** The text form, for storage and display: `user:alice`, `team:acme/ops`, `token:root`, `run:<id>`, `anonymous`. */
export function principalText(principal: Principal): string {
  switch (principal.kind) {
    case 'anonymous':
      return 'anonymous'
    case 'run':
      return `run:${principal.id}`
    case 'team':
      return `team:${principal.org}/${principal.name}`
    case 'token':
      return principal.use === 'root' ? 'token:root' : `token:${principal.org}/${principal.name}`
    default:
      return `${principal.kind}:${principal.name}`
  }
}

/** The token, session or run that the caller used, for the record. */
export function viaOf(principal: Principal): Via | { readonly kind: 'run'; readonly id: string } | undefined {
  if (principal.kind === 'run') return { kind: 'run', id: principal.id }
  if (principal.kind === 'user' || principal.kind === 'team') return principal.via
  if (principal.kind === 'token' && principal.use !== 'root')
    return { kind: 'token', id: principal.id, name: principal.name }
  return undefined
}

/** The author, as stored. */
export interface Author {
  /** The text form of a principal, or a plain name in documents from before there were principals. */
  readonly by: string
  /** What the caller says of itself (`alice@laptop`): a claim, not verified. */
  readonly who?: string | undefined
}

/** What documents called principals before there was a text form. */
const OLD_NAMES: ReadonlyMap<string, string> = new Map([
  ['root', 'token:root'],
  ['anonymous', 'anonymous'],
  ['opentaco', 'system:opentaco'],
  ['taco', 'system:upkeep'],
  ['nobody', 'system:rollouts'],
  ['outside', 'system:outside'],
])

/**
 * An author as it is shown. Old plain names become the text form of what they meant; any other plain name was what the
 * operating system said of a person without a server, so it is a claim. Unknown kinds stay as they are.
 */
export function readAuthor({ by, who }: Author): Author {
  if (by.includes(':')) return { by, who }
  const known = OLD_NAMES.get(by)
  return known === undefined ? { by: 'anonymous', who: who ?? by } : { by: known, who }
}

export function viewAuthor(author: Author): { readonly by: string; readonly who: string | null } {
  const { by, who } = readAuthor(author)
  return { by, who: who ?? null }
}
