import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { systemClock } from '../base/clock.ts'
import { randomIds } from '../base/ids.ts'
import { createLog } from '../base/log-sink.ts'
import {
  type HttpFace,
  createHttpFace,
  defaultLimits,
  tokenGuard,
  trustingGuard,
} from '../entry/http/index.ts'
import { build } from './build.ts'
import { connectionTo } from './in-memory-connection.ts'
import { listenOn } from './listen.ts'

export interface EmbedOptions {
  readonly bucket: string
  /** Who is written into the history. */
  readonly by: string
  readonly debug?: boolean
}

export interface Embedded {
  /** The client's end of a new connection to the API; nothing listens. */
  connect(): Duplex
  /** Opens a port of the loopback address that takes this one secret, as bearer token or as Basic password. */
  listen(secret: string): Promise<{ readonly url: string }>
  /** Finishes what was answered but not yet tidied up. */
  close(): Promise<void>
}

/** The API of a server inside this process, for as long as a command runs: same code path, nothing listening. */
export async function openEmbedded(options: EmbedOptions): Promise<Embedded> {
  const log = createLog({
    level: options.debug === true ? 'debug' : 'warn',
    format: 'text',
    write: (text) => process.stderr.write(text),
  })
  const built = await build({ bucket: options.bucket, log, probe: 'if-new' })
  const { control, rollouts, metrics, about, ready } = built
  const { by } = options
  const common = {
    control,
    rollouts,
    metrics,
    about,
    ready,
    log,
    limits: defaultLimits,
    clock: systemClock,
    ids: randomIds,
    eventsEveryMs: 1000,
  }
  const faces: HttpFace[] = []

  function open(face: HttpFace): Server {
    faces.push(face)
    return face.server
  }

  const server = open(createHttpFace({ ...common, guard: trustingGuard(by) }))
  return {
    connect: () => connectionTo(server),
    async listen(secret) {
      const guard = tokenGuard({ token: secret, clock: systemClock, by })
      return listenOn(open(createHttpFace({ ...common, guard })), { host: '127.0.0.1', port: 0 })
    },
    async close() {
      await Promise.all(faces.map((face) => face.close(2000)))
      await built.close()
      log.flush()
    },
  }
}
