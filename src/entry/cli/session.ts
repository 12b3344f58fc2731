import { openClient } from './api/client.ts'
import type { Client } from './api/client.ts'
import { openOutput } from './terminal/output.ts'
import type { Output } from './terminal/output.ts'
import { noProgress, openProgress } from './terminal/progress.ts'
import type { Progress } from './terminal/progress.ts'
import { readRemembered } from './config/config-file.ts'
import type { Remembered } from './config/config-file.ts'
import { chooseAuthority } from './config/authority.ts'
import { readCredential } from './config/credentials.ts'
import { chooseOrg, chooseTarget, chooseToken, isLoopbackServer } from './config/settings.ts'
import type { GlobalFlags, Target } from './config/settings.ts'
import type { Embedded, World } from './world.ts'

/** All that one command works with. What is opened on the way is closed at its end, whatever the outcome. */
export interface Session {
  readonly world: World
  readonly flags: GlobalFlags
  readonly output: Output
  /** Aborted by Ctrl-C; commands that can stop in an orderly way do. */
  readonly signal: AbortSignal
  remembered(): Remembered
  target(): Target
  org(): string
  token(): string | undefined
  /** The certificate authorities (PEM) to trust, if not the usual ones. */
  authority(): string | undefined
  /** Opened at first use; over a bucket, this brings the API up inside the process. */
  client(): Promise<Client>
  embedded(): Promise<Embedded>
  progress(what: string, total?: number): Progress
  /** What follows goes on until it is interrupted: that is its end, and no failure. */
  goOnUntilInterrupted(): void
  close(): Promise<void>
}

export interface SessionOptions {
  readonly world: World
  readonly flags: GlobalFlags
  readonly signal: AbortSignal
  /** Whether the command may be the first one that a bucket sees. */
  readonly makesBucket: boolean
  readonly isDryRun: boolean
  goOnUntilInterrupted(): void
}

export function openSession(options: SessionOptions): Session {
  const { world, flags, signal, makesBucket, isDryRun, goOnUntilInterrupted } = options
  const output = openOutput(world, flags)
  const remembered = once(() => readRemembered(world))
  const target = once(() => chooseTarget(flags, world.env, remembered(), world.cwd))
  const chosenOrg = once(() => chooseOrg(flags, world.env, remembered()))
  const token = once(() =>
    chooseToken(flags, world.env, remembered(), target(), (server) => readCredential(world, server)?.token),
  )
  const authority = once(() => chooseAuthority(flags, world, remembered(), target()))
  const embedded = once(() => {
    output.trace('opening the bucket')
    return world.openEmbedded({
      bucket: target().address,
      by: world.who,
      debug: output.debug,
      mayCreate: makesBucket,
      isRehearsal: isDryRun,
    })
  })
  const client = once(async (): Promise<Client> => {
    const { kind, address } = target()
    const userAgent = `taco/${world.version()}`
    const trace = output.trace
    if (kind === 'bucket') {
      const { connect } = await embedded()
      return openClient({
        base: 'http://localhost',
        org: chosenOrg(),
        label: address,
        token: undefined,
        userAgent,
        connect,
        trace,
      })
    }
    warnOfOpenToken(address, token(), output)
    return openClient({
      base: address,
      org: chosenOrg(),
      label: address,
      token: token(),
      authority: authority(),
      userAgent,
      trace,
    })
  })

  return {
    world,
    flags,
    output,
    signal,
    remembered,
    target,
    org: () => chosenOrg() ?? 'default',
    token,
    authority,
    embedded,
    client,
    goOnUntilInterrupted,
    progress: (what, total) =>
      flags.quiet === true || output.asJson
        ? noProgress
        : openProgress(world.stderr, what, { total, now: world.now }),
    async close() {
      // A failure to open was already reported to the caller; there is nothing to close then.
      if (client.called()) (await client().catch(() => undefined))?.close()
      if (embedded.called()) await (await embedded().catch(() => undefined))?.close()
    },
  }
}

function warnOfOpenToken(address: string, token: string | undefined, output: Output): void {
  if (token === undefined || !address.startsWith('http:')) return
  if (isLoopbackServer(address)) return
  output.warn(`the token travels unencrypted to ${new URL(address).hostname}; use https`)
}

interface Once<T> {
  (): T
  called(): boolean
}

function once<T>(make: () => T): Once<T> {
  let made: { readonly value: T } | undefined
  return Object.assign(() => (made ??= { value: make() }).value, { called: () => made !== undefined })
}
