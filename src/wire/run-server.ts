import { systemClock } from '../base/clock.ts'
import { TacoError, badRequest } from '../base/errors.ts'
import { randomIds } from '../base/ids.ts'
import { createLog } from '../base/log-sink.ts'
import {
  type Guard,
  createHttpFace,
  defaultLimits,
  isLoopback,
  listenRefusal,
  openGuard,
  tokenGuard,
} from '../entry/http/index.ts'
import { startBackground } from './background-upkeep.ts'
import { build } from './build.ts'
import { listenOn, parseListen } from './listen.ts'
import { type ServeInput, ServeOptions } from './serve-options.ts'
import type { Served } from './serve.ts'

export async function runServer(input: ServeInput): Promise<Served> {
  const options = parseOptions(input)
  const address = parseListen(options.listen)
  const refusal = listenRefusal({ host: address.host, auth: options.auth, insecure: options.insecure })
  if (refusal !== undefined) {
    throw new TacoError('FORBIDDEN', refusal, {
      hint: 'Use --auth token, listen on 127.0.0.1, or add --insecure if others guard the port.',
    })
  }
  const guard = guardOf(options, address.host)
  const log = createLog({
    level: options.logLevel,
    format: options.logFormat ?? (process.stderr.isTTY ? 'text' : 'json'),
    write: (text) => process.stderr.write(text),
  })

  process.on('exit', log.flush)
  const built = await build({ bucket: options.bucket, log, probe: 'always' })
  const { control, metrics, about, ready } = built
  const limits =
    options.maxStateBytes === undefined
      ? defaultLimits
      : { ...defaultLimits, maxStateBytes: options.maxStateBytes }
  const clock = systemClock
  const face = createHttpFace({
    control,
    guard,
    limits,
    metrics,
    log,
    clock,
    ids: randomIds,
    about,
    ready,
    eventsEveryMs: 1000,
  })
  const { url } = await started(async () => {
    await face.warmUp()
    return listenOn(face.server, address)
  }, built.close)
  log.info('serving', { url, bucket: about.bucket.label, auth: options.auth, version: about.version })

  const { lookEveryMs, gcEveryMs } = options
  const background = startBackground({
    upkeep: control.upkeep,
    clock,
    log,
    lookEveryMs,
    gcEveryMs,
    lastActiveAt: face.lastActiveAt,
  })
  let closing: Promise<void> | undefined
  async function shutDown(): Promise<void> {
    log.info('stopping')
    await Promise.all([face.close(options.graceMs), background.stop()])
    await built.close()
    log.info('stopped')
    log.flush()
    process.off('exit', log.flush)
  }
  return { url, bucket: about.bucket.label, close: () => (closing ??= shutDown()) }
}

function parseOptions(input: ServeInput): ServeOptions {
  const parsed = ServeOptions.safeParse(input)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw badRequest(issue?.path.join('.') ?? 'options', `${issue?.path.join('.')}: ${issue?.message}`)
}

function guardOf(options: ServeOptions, host: string): Guard {
  if (options.auth === 'none') return openGuard({ isAnyHostAllowed: !isLoopback(host) })
  if (options.rootToken === undefined) {
    throw badRequest(
      'rootToken',
      'there is no root token',
      'Set TACO_ROOT_TOKEN or --token-file, for example to the output of `openssl rand -hex 32`.',
    )
  }
  return tokenGuard({ token: options.rootToken, clock: systemClock, isMetricsOpen: options.metricsOpen })
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
