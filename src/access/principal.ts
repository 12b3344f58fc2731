import type { RunScope } from './run-scope.ts'

/** Who calls. Everything that is decided or recorded about a caller follows from this, never from what a request claims. */
export type Principal =
  | { readonly kind: 'user'; readonly name: string }
  | { readonly kind: 'team'; readonly name: string }
  | { readonly kind: 'token'; readonly name: string }
  | {
      readonly kind: 'run'
      readonly id: string
      /** All that it may touch. */
      readonly scope: RunScope
      /** Requested the run token. What the run does is credited to them. */
      readonly issuedTo: Author
    }
  | { readonly kind: 'system'; readonly name: SystemName }
  /** `isOpenServer`: the server asks for no credential (`--auth none`). Otherwise a stranger, who may do nothing. */
  | { readonly kind: 'anonymous'; readonly isOpenServer: boolean }

/**
 * Parts of OpenTaco that act on their own. `opentaco`: repairs and completes what requests left. `upkeep`: the
 * background checks and retention. `rollouts`: steps whose worker is gone. `graph`: reads for the
 * graph in memory, which all callers share. `outside`: an author only, for changes that
 * were made around OpenTaco.
 */
export type SystemName = 'opentaco' | 'upkeep' | 'rollouts' | 'graph' | 'outside'

export type RunPrincipal = Extract<Principal, { readonly kind: 'run' }>

export const rootToken: Principal = { kind: 'token', name: 'root' }
export const openServerUser: Principal = { kind: 'anonymous', isOpenServer: true }
export const stranger: Principal = { kind: 'anonymous', isOpenServer: false }

/** The text form, for storage and display: `user:alice`, `token:root`, `run:<id>`, `system:opentaco`, `anonymous`. */
export function principalText(principal: Principal): string {
  if (principal.kind === 'anonymous') return principal.kind
  return `${principal.kind}:${principal.kind === 'run' ? principal.id : principal.name}`
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
