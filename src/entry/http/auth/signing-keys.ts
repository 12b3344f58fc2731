import {
  type Principal,
  type SigningKey,
  type Tokens,
  rootSigningKey,
  rootToken,
  viaOf,
} from '../../../access/index.ts'
import { TacoError } from '../../../base/errors.ts'
import { isRefusal, refused } from './access-token-guard.ts'
import { type Guard, type Visit, rateLimited, rootTokensIn, rootUnless } from './auth.ts'
import type { FailedAttempts } from './failed-attempts.ts'
import { type LookupLimit, createLimitedLookup } from './limited-lookup.ts'

/** Keys that sign requests, instead of tokens that are sent with them: for S3 clients. */
export interface SigningKeys {
  /** True: requests without a signature are accepted too. */
  readonly isOpen: boolean
  /** The key of the token that the caller came with. Undefined: the caller came without one. */
  of(principal: Principal): SigningKey | undefined
  /**
   * Whom a key speaks for. `isRight`: does a signature fit this secret? Throws for keys that are wrong. On a server
   * without authentication, no one asks.
   */
  identify(
    accessKeyId: string,
    visit: Visit,
    isRight: (secret: string) => boolean,
  ): Principal | Promise<Principal>
}

/** For `--auth none`: clients must send a key, and any will do. */
export function openSigningKeys(guard: Pick<Guard, 'identify'>): SigningKeys {
  return {
    isOpen: true,
    of: () => ({ accessKeyId: 'anonymous', secretAccessKey: 'anonymous' }),
    identify: (_accessKeyId, visit) => guard.identify(visit),
  }
}

export interface SigningKeyOptions {
  /** Undefined: there is none. */
  readonly rootToken?: string | undefined
  readonly isRootOff?: (() => boolean | Promise<boolean>) | undefined
  /** Wrong root keys count like wrong root tokens. */
  readonly attempts: FailedAttempts
  /** Undefined: people cannot sign in, so there are no tokens. */
  readonly tokens?: Pick<Tokens, 'checkSigned' | 'signingKey'> | undefined
  readonly limit: LookupLimit
}

export function createSigningKeys(options: SigningKeyOptions): SigningKeys {
  const { tokens, attempts, limit } = options
  const rootKeys = rootTokensIn(options.rootToken ?? '').map(rootSigningKey)
  const lookUp = createLimitedLookup(limit)

  function identifyRoot(address: string, isRight: (secret: string) => boolean) {
    const waitMs = attempts.waitMs(address)
    if (waitMs > 0) {
      limit.watch?.refused('limited')
      throw rateLimited(waitMs)
    }
    if (!rootKeys.some(({ secretAccessKey }) => isRight(secretAccessKey))) {
      limit.watch?.refused('wrong')
      if (attempts.failed(address)) limit.watch?.limited(address)
      throw wrongSignature()
    }
    const isOff = options.isRootOff?.() ?? false
    return isOff instanceof Promise ? isOff.then(rootUnless) : rootUnless(isOff)
  }

  return {
    isOpen: false,
    of(principal) {
      if (principal === rootToken) return rootKeys[0]
      const via = viaOf(principal)
      return via?.kind === 'token' ? tokens?.signingKey(via.id) : undefined
    },
    identify(accessKeyId, { address }, isRight) {
      if (accessKeyId === rootKeys[0]?.accessKeyId) return identifyRoot(address, isRight)
      return lookUp(
        address,
        async () => (await tokens?.checkSigned(accessKeyId, isRight)) ?? ({ kind: 'unknown' } as const),
        (one) => one.kind === 'unknown',
      ).then((found) => {
        if (!isRefusal(found)) return found
        throw found.kind === 'unknown' ? wrongSignature() : refused(found)
      })
    },
  }
}

/** A key that never existed and a wrong secret are answered alike. */
function wrongSignature(): TacoError {
  return new TacoError('UNAUTHENTICATED', 'The signature is wrong, or the key was removed.', {
    facts: { s3: 'SignatureDoesNotMatch' },
    hint: 'Get the keys of your token with `taco s3-keys`. A proxy must pass on the Host header and the path.',
  })
}
