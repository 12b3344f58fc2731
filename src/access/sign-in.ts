import type { OAuth } from './oauth/oauth.ts'
import type { People } from './people/people.ts'
import type { KeyRing } from './secrets/key-ring.ts'
import type { Tokens } from './tokens/tokens.ts'
import type { SignInProviders } from './sessions/read-groups.ts'
import type { Sessions } from './sessions/sessions.ts'
import type { ServerSettings } from './settings/server-settings.ts'

/** What a server has on which people can sign in (`--auth sso`). */
export interface SignInServices {
  readonly keys: KeyRing
  readonly people: People
  readonly settings: ServerSettings
  readonly tokens: Tokens
  readonly providers: SignInProviders
  readonly sessions: Sessions
  readonly oauth: OAuth
}
