import { type KeyRing, checkKeyRing } from '../access/index.ts'
import { systemClock } from '../base/clock.ts'
import { TacoError } from '../base/errors.ts'
import { randomIds } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import { probeBucket, refuseIfUnfit, withAbilities } from '../bucket/index.ts'
import { type Metrics, createMetrics } from '../entry/http/index.ts'
import type { Probed } from '../health/index.ts'
import { type LongWork, type StateControl, createStateControl } from '../state/index.ts'
import { type OpenBucket, openBucket } from './buckets.ts'
import { withCachedStates } from './bucket-layers/cached-states.ts'
import { metered } from './bucket-layers/metered-bucket.ts'
import type { NotifySettings } from './notifications.ts'
import { type Services, createServices } from './services.ts'
import { openSpool } from './spool.ts'
import { packageVersion } from './version.ts'

export interface BuildOptions {
  readonly bucket: string
  readonly log: Log
  /** Given if people can sign in. */
  readonly keys?: KeyRing | undefined
  /** Makes and checks the seals of the audit, and seals secrets of organizations. Default: `keys`. */
  readonly sealKeys?: KeyRing | undefined
  /** `always`: a server. `if-new`: a command that lasts a moment, in front of a bucket that was found fit before. */
  readonly probe: 'always' | 'if-new'
  /** False: a folder that is not there is refused instead of made. */
  readonly mayCreate?: boolean
  /** True: a dry run, which leaves the bucket as it is, whatever is done. */
  readonly isRehearsal?: boolean
  /** Does what takes long; without, it is done in this thread. */
  readonly work?: LongWork
  readonly notify?: NotifySettings | undefined
  /** Registries whose providers are mirrored. */
  readonly mirrorHosts?: readonly string[] | undefined
  /** How long a request to the bucket may go unanswered. */
  readonly bucketDeadlineMs?: number | undefined
}

/** State control over one bucket, and what its faces want to know about it. */
export interface Built extends Services {
  readonly control: StateControl
  readonly metrics: Metrics
  readonly about: {
    readonly version: string
    readonly bucket: { readonly kind: string; readonly label: string }
  }
  /** Throws when the bucket cannot be reached. */
  ready(): Promise<void>
  close(): Promise<void>
}

/** Every bucket in use has it; any key would do to see whether the bucket answers. */
const FIRST_DOCUMENT = '.taco/orgs/default/org.json'
/** A readiness probe has a timeout of a few seconds, and wants to know the reason. */
const READY_MS = 3_000

export async function build(options: BuildOptions): Promise<Built> {
  const version = packageVersion()
  const metrics = createMetrics(version)
  const { mayCreate = true, isRehearsal = false } = options
  const { bucket: opened, isProbeTrusted } = await openBucket(options.bucket, {
    mayCreate,
    isReadOnly: isRehearsal,
    ...(options.bucketDeadlineMs === undefined ? {} : { deadlineMs: options.bucketDeadlineMs }),
  })
  try {
    const { bucket: fitting, probed } = isRehearsal
      ? { bucket: (await import('./bucket-layers/dry-run-bucket.ts')).rehearsing(opened), probed: undefined }
      : await fit(opened, { ...options, isProbeTrusted })
    const bucket = withCachedStates(metered(fitting, metrics))
    const clock = systemClock
    if (options.keys !== undefined) await checkKeyRing({ bucket, clock, ids: randomIds }, options.keys)
    const control = await createStateControl({
      bucket,
      clock,
      ids: randomIds,
      log: options.log,
      spool: openSpool(),
      keys: options.sealKeys ?? options.keys,
      ...(options.work === undefined ? {} : { work: options.work }),
    })
    const { log, keys, sealKeys, notify, mirrorHosts } = options
    const services = createServices({
      bucket,
      clock,
      ids: randomIds,
      log,
      control,
      keys,
      sealKeys,
      notify,
      mirrorHosts,
      probed,
    })
    return {
      control,
      ...services,
      metrics,
      about: { version, bucket: { kind: bucket.kind, label: bucket.label } },
      async ready() {
        // Not a HEAD: S3 answers it the same way for a missing object and a missing bucket.
        const late = new AbortController()
        const timer = setTimeout(() => late.abort(tooLate(bucket.label)), READY_MS)
        try {
          const found = await bucket.get(FIRST_DOCUMENT, { signal: late.signal })
          found?.discard()
        } finally {
          clearTimeout(timer)
        }
        // Without them everything is denied.
        await services.signIn?.settings.fresh()
      },
      async close() {
        await services.health.checks.stop()
        await services.signIn?.tokens.settled()
        await control.close()
        await opened.close()
      },
    }
  } catch (error) {
    await opened.close().catch(() => {})
    throw error
  }
}

function tooLate(label: string): TacoError {
  return new TacoError(
    'BUCKET_UNAVAILABLE',
    `The bucket ${label} did not answer within ${READY_MS / 1000} s.`,
    {
      hint: 'Check the storage and the network.',
      facts: { bucket: label },
    },
  )
}

/** The bucket with the abilities it was found to have; refuses one that could lose a state. */
async function fit(
  bucket: OpenBucket,
  options: BuildOptions & { isProbeTrusted: boolean },
): Promise<{ readonly bucket: OpenBucket; readonly probed: Probed | undefined }> {
  if (options.probe === 'if-new' && (await bucket.head(FIRST_DOCUMENT)) !== undefined)
    return { bucket, probed: undefined }
  const { abilities, ...report } = await probeBucket(bucket, { clock: systemClock, ids: randomIds })
  refuseIfUnfit({ ...report, abilities })
  for (const { ok, check, detail, hint } of report.findings) {
    if (!ok) options.log.warn('the bucket has a weakness', { check, detail, hint })
  }
  return {
    bucket: options.isProbeTrusted ? withAbilities(bucket, abilities) : bucket,
    probed: { at: systemClock.now(), findings: report.findings },
  }
}
