import type { People, RunTokens, ServerSettings, SignInServices } from '../access/index.ts'
import { systemClock } from '../base/clock.ts'
import { badRequest } from '../base/errors.ts'
import {
  type FailedAttempts,
  type Guard,
  type GuardWatch,
  type SigningKeys,
  accessTokenGuard,
  createSigningKeys,
  isLoopback,
  isWeakToken,
  openGuard,
  openSigningKeys,
  rootTokensIn,
  runTokenGuard,
  tokenGuard,
} from '../entry/http/index.ts'
import type { ServeOptions } from './serve-options.ts'

/** What tells tokens apart. */
interface GuardServices {
  readonly runTokens: RunTokens
  readonly signIn: SignInServices | undefined
}

/** Refuses what is missing before the bucket is opened. */
export function guardOf(
  options: Pick<ServeOptions, 'auth' | 'rootToken'>,
  host: string,
  attempts?: FailedAttempts,
): (services: GuardServices, watch: GuardWatch) => Guard {
  const { auth, rootToken: token } = options
  if (auth === 'none') return () => openGuard({ isAnyHostAllowed: !isLoopback(host) })
  if (auth === 'token' && token === undefined)
    throw badRequest(
      'rootToken',
      'The root token is missing.',
      'Set TACO_ROOT_TOKEN or --token-file, for example to the output of `openssl rand -hex 32`.',
    )
  checkRootTokens(token === undefined ? [] : rootTokensIn(token), auth)
  const clock = systemClock
  return ({ runTokens, signIn }, watch) => {
    const limit = { clock, watch }
    const root =
      token === undefined
        ? {}
        : {
            otherwise: tokenGuard({
              token,
              clock,
              watch,
              ...(attempts === undefined ? {} : { attempts }),
              ...(signIn === undefined ? {} : { isOff: () => isRootTokenOff(signIn.settings) }),
            }),
          }
    const accepted = signIn === undefined ? runTokens : ofActivePeople(runTokens, signIn.people)
    const plain = runTokenGuard({ runTokens: accepted, ...root, limit })
    if (signIn === undefined) return plain
    return accessTokenGuard({ tokens: signIn.tokens, otherwise: { ...plain, kind: 'sso' }, limit })
  }
}

/** The keys of S3 clients. `attempts`: those that the guard counts. */
export function signingKeysOf(
  { auth, rootToken }: Pick<ServeOptions, 'auth' | 'rootToken'>,
  guard: Guard,
  { signIn }: Pick<GuardServices, 'signIn'>,
  { attempts, watch }: { readonly attempts: FailedAttempts; readonly watch: GuardWatch },
): SigningKeys {
  if (auth === 'none') return openSigningKeys(guard)
  return createSigningKeys({
    rootToken,
    isRootOff: signIn && (() => isRootTokenOff(signIn.settings)),
    attempts,
    tokens: signIn?.tokens,
    limit: { clock: systemClock, watch },
  })
}

/** The run tokens of a suspended person are refused like everything else of theirs, also in the middle of a run. */
export function ofActivePeople(
  runTokens: Pick<RunTokens, 'check'>,
  people: Pick<People, 'fresh'>,
): Pick<RunTokens, 'check'> {
  return {
    async check(token) {
      const found = await runTokens.check(token)
      if (typeof found === 'string' || found.reader?.kind !== 'user') return found
      const person = await people.fresh(found.reader.id)
      return person === undefined || person.suspended !== undefined ? 'unknown' : found
    },
  }
}

/** If the settings cannot be read, nobody is let in. */
function isRootTokenOff(settings: Pick<ServerSettings, 'fresh'>): boolean | Promise<boolean> {
  const found = settings.fresh()
  if (found instanceof Promise) return found.then(({ rootTokenOff }) => rootTokenOff !== undefined)
  return found.rootTokenOff !== undefined
}

function checkRootTokens(tokens: readonly string[], auth: ServeOptions['auth']): void {
  if (tokens.length > 2)
    throw badRequest(
      'rootToken',
      `There are ${tokens.length} root tokens.`,
      'Give at most two, separated by a comma: the new one and the one that it replaces.',
    )
  if (tokens.some((token) => token.length < 16))
    throw badRequest('rootToken', 'A root token is shorter than 16 characters.', CREATE)
  if (auth === 'sso' && tokens.some(isWeakToken))
    throw badRequest('rootToken', 'A root token is weak: it has less than 128 bits.', CREATE)
}

const CREATE = 'Create one with `openssl rand -hex 32`.'
