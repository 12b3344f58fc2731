import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type KeyRing, createRunTokens } from '../access/index.ts'
import { systemClock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import { randomIds } from '../base/ids.ts'
import { createLog } from '../base/log-sink.ts'
import { type Log, silentLog } from '../base/log.ts'
import { openMemoryBucket } from '../bucket/adapters/memory.ts'
import {
  type HttpFace,
  createHttpFace,
  defaultLimits,
  runTokenGuard,
  trustingGuard,
} from '../entry/http/index.ts'
import type { Locks } from '../state/index.ts'
import { build } from './build.ts'
import { openKeyRingIfAny } from './key-ring.ts'
import { connectionTo } from './in-memory-connection.ts'
import { listenOn } from './listen.ts'

export interface EmbedOptions {
  readonly bucket: string
  /** The author in the history. */
  readonly by: string
  readonly debug?: boolean
  /** False: a folder that is not there is refused instead of made. */
  readonly mayCreate?: boolean
  /** True: a dry run, which leaves the bucket as it is, whatever is done. */
  readonly isRehearsal?: boolean
}

export interface Embedded {
  /** The client's end of a new connection to the API; nothing listens. */
  connect(): Duplex
  /** Opens a port of the loopback address that accepts nothing but run tokens issued by this process. */
  listen(): Promise<Listening>
  /** Finishes what was answered but not yet tidied up. */
  close(): Promise<void>
}

interface Listening {
  readonly url: string
  /** Whether a lock of that id was taken through this port. */
  hasTaken(lockId: string): boolean
}

/** Only `taco audit verify` needs a key, so a wrong one stops no command. */
async function sealKeys(log: Log): Promise<KeyRing | undefined> {
  try {
    return await openKeyRingIfAny({ secretKeyFile: process.env['TACO_SECRET_KEY_FILE'] }, process.env, log)
  } catch (error) {
    log.warn('the secret key cannot be used', { error: messageOf(error) })
    return undefined
  }
}

/** The API of a server inside this process, for as long as a command runs: same code path, nothing listening. */
export async function openEmbedded(options: EmbedOptions): Promise<Embedded> {
  const isDebug = options.debug === true
  const log = createLog({
    level: isDebug ? 'debug' : 'warn',
    format: 'text',
    hasStacks: isDebug,
    write: (text) => process.stderr.write(text),
  })
  const built = await build({
    bucket: options.bucket,
    log,
    sealKeys: await sealKeys(log),
    probe: 'if-new',
    mayCreate: options.mayCreate ?? true,
    isRehearsal: options.isRehearsal ?? false,
  })
  const { control: ofServer, close: _, ...services } = built
  // No other process accepts them, and they end with this one. Even a read-only user of the bucket gets them.
  const runTokens = createRunTokens({ bucket: openMemoryBucket(), clock: systemClock, ids: randomIds })
  const control = { ...ofServer, runTokens }
  const { by } = options
  const common = {
    ...services,
    control,
    log,
    limits: defaultLimits,
    clock: systemClock,
    ids: randomIds,
  }
  const faces: HttpFace[] = []

  function open(face: HttpFace): Server {
    faces.push(face)
    return face.server
  }

  // A failed request is the command's own failure, and the command reports it.
  const server = open(createHttpFace({ ...common, log: isDebug ? log : silentLog, guard: trustingGuard(by) }))
  return {
    connect: () => connectionTo(server),
    async listen() {
      const guard = runTokenGuard({ runTokens })
      const taken = new Set<string>()
      const locks = notingLocks(control.locks, taken)
      const face = createHttpFace({ ...common, control: { ...control, locks }, guard })
      const { url } = await listenOn(open(face), { host: '127.0.0.1', port: 0 })
      return { url, hasTaken: (lockId) => taken.has(lockId) }
    },
    async close() {
      await Promise.all(faces.map((face) => face.close(2000)))
      await built.close()
      log.flush()
    },
  }
}

function notingLocks(locks: Locks, taken: Set<string>): Locks {
  return {
    ...locks,
    async lock(ref, info, options, caller) {
      const view = await locks.lock(ref, info, options, caller)
      taken.add(view.id)
      return view
    },
  }
}
