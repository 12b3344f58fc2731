import type { OAuth, SignInFlow, SignInServices } from '../../../access/index.ts'
import type { Clock } from '../../../base/clock.ts'
import type { Log } from '../../../base/log.ts'
import type { HttpDeps } from '../deps.ts'
import type { FailedAttempts } from '../auth/failed-attempts.ts'
import type { RateLimit } from '../auth/rate-limit.ts'
import type { LastPages } from './last-pages.ts'
import type { Cookies } from '../kit/cookies.ts'
import type { LongAnswers } from '../kit/long-answers.ts'
import type { RootSessions } from './sign-in/root-sessions.ts'
import type { Assets } from '../kit/response/assets.ts'

/** What a server has on which people can sign in. */
export interface WebSignIn extends Pick<SignInServices, 'sessions' | 'people' | 'settings' | 'tokens'> {
  readonly flow: SignInFlow
}

/** The services of every face: pages and the API do the same things by the same rules. */
type SharedServices = Pick<
  HttpDeps,
  | 'control'
  | 'graph'
  | 'inputs'
  | 'sync'
  | 'rollouts'
  | 'access'
  | 'orgAccess'
  | 'accessQuestions'
  | 'variables'
  | 'variableSets'
  | 'setSights'
  | 'unitVariables'
  | 'registry'
  | 'mirror'
  | 'limits'
  | 'freeBuffers'
  | 'ids'
  | 'notifications'
  | 'health'
  | 'projects'
>

/** What the pages work with. */
export interface WebServices extends SharedServices {
  readonly auth: 'none' | 'token' | 'sso'
  /** Undefined: people cannot sign in. */
  readonly signIn?: WebSignIn | undefined
  /** Undefined: the root token opens no pages. Where people sign in, it does until there is a sign-in provider. */
  readonly rootSessions?: RootSessions | undefined
  /** As browsers reach the server. Undefined: it was not configured, so nothing may depend on it. */
  readonly publicUrl?: string
  readonly about: {
    readonly version: string
    readonly bucket: { readonly kind: string; readonly label: string }
  }
  /** Where `taco` is on this machine, if it may not be on the PATH of the person who started the server. */
  readonly commandFile?: string | undefined
  /** For programs that sign people in. Undefined: people cannot sign in. */
  readonly oauth?: OAuth | undefined
  readonly longAnswers: LongAnswers
  readonly cookies: Cookies
  readonly assets: Assets
  /** Whether a page has this path. */
  hasPage(path: string): boolean
  /** For the time in which the bucket does not answer. */
  readonly lastPages: LastPages
  /** Each try to sign in asks an identity provider. */
  readonly signInLimit: RateLimit
  /** Each new token is a document in the bucket. */
  readonly newTokenLimit: RateLimit
  /** Wrong codes of devices. */
  readonly codeGuesses: FailedAttempts
  readonly clock: Clock
  readonly log: Log
}
