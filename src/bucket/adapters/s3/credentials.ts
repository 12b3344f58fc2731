import { TacoError } from '../../../base/errors.ts'
import type { Clock } from '../../../base/clock.ts'
import type { Credentials } from './signer.ts'

export interface CredentialSource {
  /** Without a promise where the keys are at hand, which is nearly always. */
  current(): Credentials | Promise<Credentials>
  /** The store reported these keys as expired. False if no others are available. */
  forget(): boolean
}

const SOON_MS = 5 * 60_000
const TOO_LATE_MS = 30_000

export interface CredentialOptions {
  readonly given: Credentials | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  /** Replaces the SDK's chain in tests. */
  readonly chain?: (() => Promise<Credentials>) | undefined
}

/** Keys from the environment are used as they are. All others come from the SDK's chain. */
export function credentialSource(options: CredentialOptions): CredentialSource {
  const fixed = options.given ?? environmentKeys(options.env)
  if (fixed !== undefined) return { current: () => fixed, forget: () => false }
  return refreshing(options.chain ?? sdkChain, options.clock)
}

function environmentKeys(env: CredentialOptions['env']): Credentials | undefined {
  const accessKeyId = env['AWS_ACCESS_KEY_ID']
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY']
  if (!accessKeyId || !secretAccessKey) return undefined
  return { accessKeyId, secretAccessKey, sessionToken: env['AWS_SESSION_TOKEN'] || undefined }
}

/** Renews in time: in the background while the old keys are valid, and before the request when they are not. */
function refreshing(chain: () => Promise<Credentials>, clock: Clock): CredentialSource {
  let held: Credentials | undefined
  let underWay: Promise<Credentials> | undefined

  function refresh(): Promise<Credentials> {
    underWay ??= chain()
      .then((credentials) => (held = credentials))
      .finally(() => (underWay = undefined))
    return underWay
  }

  return {
    current() {
      if (held === undefined) return refresh()
      const leftMs = (held.expiresAt ?? Infinity) - clock.now()
      if (leftMs > SOON_MS) return held
      if (leftMs <= TOO_LATE_MS) return refresh()
      // The old keys are still valid, and every call until they expire tries again. If that fails too, it is reported
      // then.
      refresh().catch(() => undefined)
      return held
    },
    forget() {
      held = undefined
      return true
    },
  }
}

async function sdkChain(): Promise<Credentials> {
  try {
    const { fromNodeProviderChain } = await import('@aws-sdk/credential-providers')
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = await fromNodeProviderChain({
      clientConfig: {},
    })()
    return { accessKeyId, secretAccessKey, sessionToken, expiresAt: expiration?.getTime() }
  } catch (error) {
    throw new TacoError('BUCKET_REFUSED', 'No AWS credentials were found.', {
      hint: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run where a role is attached.',
      cause: error,
    })
  }
}
