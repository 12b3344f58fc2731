import { dirname, join } from 'node:path'
import { TacoError } from '../../../../base/errors.ts'
import { usageError } from '../../terminal/exit-codes.ts'
import type { Session } from '../../session.ts'
import { bucketAddress, readToken } from '../../config/settings.ts'
import { type TlsFlags, localCaFile, tlsOf } from '../../config/tls-settings.ts'
import type { ServeOptions, Signal } from '../../world.ts'
import { parseBytes, parseDuration } from '../../terminal/format.ts'

interface ServeFlags extends TlsFlags {
  readonly listen: string
  readonly auth?: 'none' | 'token' | 'sso'
  readonly publicUrl?: string
  readonly secretKeyFile?: string
  readonly secretKeyCommand?: string
  readonly insecure?: boolean
  readonly metricsOpen?: boolean
  readonly trustedProxy?: string
  readonly smtpUrl?: string
  readonly smtpFrom?: string
  readonly notificationDeny?: string
  readonly providerMirror?: string | true
  readonly notifyEvery?: string
  readonly maxState?: string
  readonly logLevel?: ServeOptions['logLevel']
  readonly logFormat?: 'json' | 'text'
  readonly lookEvery?: string
  readonly gcEvery?: string
  readonly bucketTimeout?: string
  readonly grace?: string
  readonly workers?: string
}

/** Runs until it is stopped; then answers the requests under way, and ends. */
export async function serve(session: Session, _args: readonly string[], flags: ServeFlags): Promise<void> {
  const options = serveOptions(session, flags)
  // Others need the server even if no one reads its log any more.
  session.world.goOnUnread()
  let stop: (signal: Signal) => void = () => {}
  const stopped = new Promise<Signal>((resolve) => (stop = resolve))
  // Heard from the first moment on: a stop while the bucket is probed must not be lost.
  const release = session.world.onSignal((signal) => stop(signal))
  try {
    const server = await session.world.serve(options)
    welcome(session, options, server)
    await stopped
    session.output.note('stopping after the running requests; send a second signal to stop now')
    release()
    await server.close()
  } finally {
    release()
  }
}

export function serveOptions(session: Session, flags: ServeFlags): ServeOptions {
  const { world } = session
  const rootToken = rootTokenOf(session)
  const auth = flags.auth ?? (rootToken === undefined ? 'none' : 'token')
  const maxStateBytes = flags.maxState === undefined ? undefined : parseBytes(flags.maxState)
  if (flags.maxState !== undefined && maxStateBytes === undefined) {
    throw usageError(`${JSON.stringify(flags.maxState)} is not a size.`, 'Write --max-state as 500MB or 2GB.')
  }
  if (auth === 'token' && rootToken === undefined) {
    throw usageError(
      '--auth token needs a root token.',
      'Put one in TACO_ROOT_TOKEN, or in a file that you name with --token-file.',
    )
  }
  if (session.flags.server !== undefined)
    throw usageError('--server cannot be used with `taco serve`.', 'Name the bucket to serve with --bucket.')
  const listen = /^\d+$/.test(flags.listen) ? `127.0.0.1:${flags.listen}` : flags.listen
  return {
    bucket: bucketAddress(session.flags.bucket || world.env['TACO_BUCKET'] || './taco-data', world.cwd),
    listen,
    tls: tlsOf(flags, listen, world),
    auth,
    commandFile: commandFileOf(world.env),
    insecure: flags.insecure === true,
    publicUrl: flags.publicUrl || undefined,
    rootToken: auth === 'none' ? undefined : rootToken,
    secretKeyFile: flags.secretKeyFile || undefined,
    secretKeyCommand: flags.secretKeyCommand || undefined,
    trustedProxies: listIn(flags.trustedProxy),
    smtpUrl: flags.smtpUrl || undefined,
    smtpFrom: flags.smtpFrom || undefined,
    mirrorHosts: mirrorHostsOf(flags.providerMirror),
    notificationDeny: listIn(flags.notificationDeny),
    notifyEveryMs: timeOf('notify-every', flags.notifyEvery),
    metricsOpen: flags.metricsOpen === true,
    maxStateBytes,
    logLevel:
      flags.logLevel ??
      (session.flags.debug === true ? 'debug' : world.stderr.isTTY === true ? 'warn' : 'info'),
    logFormat: flags.logFormat,
    lookEveryMs: timeOf('look-every', flags.lookEvery),
    gcEveryMs: timeOf('gc-every', flags.gcEvery),
    bucketDeadlineMs: timeOf('bucket-timeout', flags.bucketTimeout),
    graceMs: timeOf('grace', flags.grace),
    workers: workersOf(flags.workers ?? '1'),
  }
}

/** The two public registries, unless others are named. */
function mirrorHostsOf(given: string | true | undefined): readonly string[] {
  return given === true || given === '' ? ['registry.opentofu.org', 'registry.terraform.io'] : listIn(given)
}

function listIn(text = ''): readonly string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
}

/** A short token can be guessed, and this one opens everything. */
function rootTokenOf({ flags, world }: Session): string | undefined {
  const file = flags.tokenFile ?? (world.env['TACO_ROOT_TOKEN'] ? undefined : world.env['TACO_TOKEN_FILE'])
  const token = file ? readToken(file) : world.env['TACO_ROOT_TOKEN'] || undefined
  if (token !== undefined && token.length < 16) {
    throw new TacoError('BAD_REQUEST', 'The root token is shorter than 16 characters.', {
      hint: 'Create one with `openssl rand -hex 32`.',
    })
  }
  return token
}

function workersOf(text: string): number | 'auto' {
  if (text === 'auto') return text
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (count >= 1 && count <= 256) return count
  throw usageError(
    `${JSON.stringify(text)} is not a number of workers.`,
    'Write --workers as a number from 1 to 256, or as auto for one per processor.',
  )
}

/** `0` turns off; undefined leaves it to the server. */
function timeOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = text === '0' ? 0 : parseDuration(text)
  if (ms === undefined)
    throw usageError(`${JSON.stringify(text)} is not a duration.`, `Write --${name} as 90s, 30m or 6h.`)
  return ms
}

/** `npm start` runs from a checkout, where no `taco` is on the PATH of the other terminal. */
function commandFileOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const checkout = env['npm_lifecycle_event'] === 'start' ? env['npm_package_json'] : undefined
  return checkout && join(dirname(checkout), 'bin', 'taco')
}

function welcome(
  { output, world, flags }: Session,
  options: ServeOptions,
  server: { url: string; bucket: string },
): void {
  if (flags.json === true) return output.json({ url: server.url, bucket: server.bucket, auth: options.auth })
  if (flags.quiet === true) return
  const bold = (text: string) => output.styleNote('bold', text)
  const alias = options.commandFile === undefined ? [] : [`  alias taco='${options.commandFile}'`]
  const tls =
    options.tls?.kind === 'auto'
      ? [
          `  TLS     by the local authority ${localCaFile(world)}`,
          '          `taco tls trust` explains how to trust it',
        ]
      : []
  const use = server.url === 'http://127.0.0.1:8226' ? [] : [`  taco use ${server.url}`]
  const rootToken = '  export TACO_TOKEN=…                     the root token'
  const signIn = [
    `  taco login ${server.url}`.padEnd(41) + ' sign in with the browser',
    'For the first set-up, with the root token:',
    rootToken,
    '  taco provider put okta -f okta.yaml     add a way to sign in (docs/access.md has examples)',
    '  taco server admin add email:<address>   make somebody an administrator',
    'Then:',
  ]
  const token = { none: [], token: [rootToken], sso: signIn }[options.auth]
  world.stderr.write(
    [
      `${bold('OpenTaco')} ${world.version()} serves ${bold(server.url)}`,
      `  bucket  ${server.bucket}`,
      `  auth    ${options.auth === 'none' ? 'none: anyone who can reach this address has full access' : options.auth}`,
      ...tls,
      '',
      `Open ${server.url} in a browser, or go on in another terminal:`,
      ...alias,
      ...use,
      ...token,
      '  taco adopt --dry-run                    find states that are already in the bucket',
      '  taco backend prod/network --write       make code use the unit prod/network',
      '  tofu init && tofu apply                 (or terraform)',
      '  taco unit ls                            see what is there',
      '',
      'Ctrl-C stops it.',
      '',
    ].join('\n'),
  )
}
