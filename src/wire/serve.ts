import { createSignInFlow } from '../access/index.ts'
import { systemClock } from '../base/clock.ts'
import { TacoError, badRequest } from '../base/errors.ts'
import { randomIds } from '../base/ids.ts'
import { createLog } from '../base/log-sink.ts'
import {
  type FailedAttempts,
  TFC_OFFERS,
  createFailedAttempts,
  createHttpFace,
  createLongAnswers,
  createRootSessions,
  createLoginFace,
  createS3Face,
  createTfcFace,
  createWorkloadExchange,
  defaultLimits,
  isWeakToken,
  listenRefusal,
  openWebFace,
  parseTrustedProxies,
  ringSigner,
  rootTokensIn,
  secretSigner,
} from '../entry/http/index.ts'
import { startBackground } from './upkeep/background-upkeep.ts'
import { build } from './build.ts'
import { memoryCollectors } from './memory/force-gc.ts'
import { guardOf, signingKeysOf } from './guard.ts'
import { openKeyRing, openKeyRingIfAny } from './key-ring.ts'
import { publicUrlOf } from './public-url.ts'
import { listenOn, parseListen } from './listen.ts'
import type { NotifySettings } from './notifications.ts'
import { memoryAtRest } from './memory/memory-at-rest.ts'
import { LAST_WORDS_MS, type ServeInput, type ServeOptions, parseServeOptions } from './serve-options.ts'
import { openWorkloads } from './workloads.ts'
import { ownThreads } from './threads/threads.ts'

export interface Served {
  readonly url: string
  /** The bucket's address without secrets. */
  readonly bucket: string
  /** Answers what is under way, then stops. */
  close(): Promise<void>
}

/** A server in this process. */
interface ServedHere extends Served {
  /** Of this process alone. */
  metricsText(): string
}

/** What sets a server apart that is one of several processes on one address. */
export interface WorkerRole {
  readonly number: number
  /** Summed over all of them. */
  metricsText(): Promise<string>
  /** Counts wrong root tokens, whichever of them they were sent to. */
  readonly attempts: FailedAttempts
}

/** Serves from this process. */
export async function serve(input: ServeInput, role?: WorkerRole): Promise<ServedHere> {
  const options = parseServeOptions(input)
  const isFirst = role === undefined || role.number === 1
  const address = parseListen(options.listen)
  const refusal = listenRefusal({ host: address.host, auth: options.auth, insecure: options.insecure })
  if (refusal !== undefined) {
    throw new TacoError('FORBIDDEN', refusal, {
      hint: 'Use --auth token, listen on 127.0.0.1, or add --insecure if something else protects the port.',
    })
  }
  const attempts = role?.attempts ?? createFailedAttempts(systemClock)
  const guardWith = guardOf(options, address.host, attempts)
  const publicUrl = publicUrlOf(options, address)
  const trustedProxies = trustedProxiesOf(options)
  const log = createLog({
    level: options.logLevel,
    format: options.logFormat ?? (process.stderr.isTTY ? 'text' : 'json'),
    write: (text) => process.stderr.write(text),
    ...(role === undefined ? {} : { always: { worker: role.number } }),
  })

  const keys = options.auth === 'sso' ? await openKeyRing(options, process.env, log) : undefined
  const sealKeys = keys ?? (await openKeyRingIfAny(options, process.env, log))
  process.on('exit', log.flush)
  const clock = systemClock
  const secure =
    options.tls && (await (await import('./tls/open-tls.ts')).openTls(options.tls, { log, clock }))
  const threads = ownThreads()
  const built = await build({
    bucket: options.bucket,
    log,
    keys,
    sealKeys,
    probe: 'always',
    notify: notifySettings(options, publicUrl),
    mirrorHosts: options.mirrorHosts,
    bucketDeadlineMs: options.bucketDeadlineMs,
    ...threads,
  })
  const { control, metrics, about, ready, close: _, ...services } = built
  const limits =
    options.maxStateBytes === undefined
      ? defaultLimits
      : { ...defaultLimits, maxStateBytes: options.maxStateBytes }
  const collectors = memoryCollectors()
  const flow =
    services.signIn && publicUrl !== undefined
      ? createSignInFlow({ ...services.signIn, clock, publicUrl })
      : undefined
  const longAnswers = createLongAnswers(limits)
  const watch = {
    refused: metrics.refusedCredential,
    limited: (address: string) =>
      log.warn('too many wrong tokens from one address: its tokens are refused for a while', { address }),
  }
  const exchangeWorkload =
    services.signIn === undefined || publicUrl === undefined
      ? undefined
      : createWorkloadExchange(openWorkloads(services.signIn, services.orgAccess, publicUrl), {
          clock,
          watch,
        })
  const signer = keys === undefined ? secretSigner(rootTokensIn(options.rootToken ?? '')) : ringSigner(keys)
  const guard = guardWith({ runTokens: control.runTokens, signIn: services.signIn }, watch)
  const web = await openWebFace({
    longAnswers,
    ...services,
    control,
    auth: options.auth,
    ...(publicUrl === undefined ? {} : { publicUrl }),
    signIn: services.signIn && flow && { ...services.signIn, flow },
    oauth: services.signIn?.oauth,
    rootSessions:
      options.auth === 'none' || options.rootToken === undefined
        ? undefined
        : createRootSessions(options.rootToken, guard, clock),
    about,
    commandFile: options.commandFile,
    limits,
    freeBuffers: collectors.young,
    clock,
    ids: randomIds,
    log,
  })
  const signingKeys = signingKeysOf(options, guard, services, { attempts, watch })
  const face = createHttpFace({
    faces: [
      web,
      createLoginFace({
        auth: options.auth,
        publicUrl,
        oauth: services.signIn?.oauth,
        exchangeWorkload,
        offers: TFC_OFFERS,
        clock,
        log,
      }),
    ],
    moreFaces: (deps) => [createTfcFace(deps, { publicUrl, signer }), createS3Face(deps, signingKeys)],
    control,
    longAnswers,
    ...services,
    exchangeWorkload,
    checkProvider: flow?.check,
    guard,
    signingKeys,
    isMetricsOpen: options.metricsOpen,
    ...(trustedProxies === undefined ? {} : { trustedProxies }),
    limits,
    metrics,
    log,
    clock,
    ids: randomIds,
    about,
    ready,
    freeBuffers: collectors.young,
    createTlsServer: secure?.createServer,
    ...(role === undefined ? {} : { metricsText: role.metricsText }),
  })
  const { url } = await started(() => listenOn(face.server, address, secure && 'https'), built.close)
  const say = role === undefined ? log.info : log.debug
  say('serving', { url, bucket: about.bucket.label, auth: options.auth, version: about.version })

  if (isFirst && options.auth === 'token' && rootTokensIn(options.rootToken ?? '').some(isWeakToken)) {
    log.warn('the root token is weak: it has less than 128 bits and opens everything', {
      hint: 'Replace it with the output of `openssl rand -hex 32`.',
    })
  }

  const { lookEveryMs, gcEveryMs } = options
  const background = isFirst
    ? startBackground({
        upkeep: control.upkeep,
        clock,
        log,
        lookEveryMs,
        gcEveryMs,
        lastActiveAt: face.lastActiveAt,
        seal: control.audit.seal,
        collectTokens: services.signIn?.tokens.removeOld,
        onMissing: (states) => (metrics.statesMissing = states),
      })
    : undefined
  const deliverer = isFirst ? services.startDelivery(options.notifyEveryMs) : undefined
  const announced = isFirst
    ? services.announce({ version: about.version, url: publicUrl ?? url, auth: options.auth })
    : undefined
  const resting = setInterval(
    memoryAtRest({
      clock,
      lastActiveAt: face.lastActiveAt,
      takenBytes: () => process.memoryUsage().heapTotal,
      collect: collectors.all,
    }),
    1_000,
  )
  resting.unref()
  let closing: Promise<void> | undefined
  async function shutDown(): Promise<void> {
    log.info('stopping')
    clearInterval(resting)
    async function tidyUp(): Promise<true> {
      await Promise.all([
        face.close(options.graceMs),
        secure?.close(),
        background?.stop(),
        deliverer?.stop(),
        announced?.stop(),
        services.health.checks.stop(),
      ])
      await built.close()
      await threads?.close()
      return true
    }
    // What is not tidied up by then is left to the next server: nothing is lost by it.
    const waiting = new AbortController()
    const isDone = await Promise.race([
      tidyUp(),
      clock.sleep(options.graceMs + LAST_WORDS_MS, waiting.signal).then(
        () => false,
        () => true,
      ),
    ]).finally(() => waiting.abort())
    if (isDone) log.info('stopped')
    else log.warn('stopped before everything was tidied up: the bucket does not answer')
    log.flush()
    process.off('exit', log.flush)
  }
  return {
    url,
    bucket: about.bucket.label,
    close: () => (closing ??= shutDown()),
    metricsText: () => metrics.text(),
  }
}

function notifySettings(
  { smtpUrl, smtpFrom, notificationDeny }: ServeOptions,
  publicUrl: string | undefined,
): NotifySettings {
  if (smtpUrl !== undefined && smtpFrom === undefined)
    throw badRequest(
      'smtpFrom',
      'E-mail has no sender.',
      'Give --smtp-from with --smtp-url, such as "OpenTaco <taco@example.com>".',
    )
  const smtp = smtpUrl === undefined || smtpFrom === undefined ? undefined : { url: smtpUrl, from: smtpFrom }
  return { smtp, deny: notificationDeny, publicUrl }
}

function trustedProxiesOf({ trustedProxies }: ServeOptions): ReturnType<typeof parseTrustedProxies> {
  if (trustedProxies.length === 0) return undefined
  const parsed = parseTrustedProxies(trustedProxies)
  if (parsed !== undefined) return parsed
  throw badRequest(
    'trustedProxies',
    `"${trustedProxies.join(',')}" is not a list of addresses.`,
    'Write --trusted-proxy as addresses and networks separated by commas, such as 10.0.0.5,10.1.0.0/16.',
  )
}

/** What was opened before a start that failed is closed again. */
async function started<T>(start: () => Promise<T>, close: () => Promise<void>): Promise<T> {
  try {
    return await start()
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
}
