import { stat } from 'node:fs/promises'
import type { ServerOptions } from 'node:http'
import { type Server, createServer } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '../../base/clock.ts'
import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { type CertificateFiles, type ServerCertificate, readCertificate } from './certificate-files.ts'

export interface SecureListener {
  /** Once, for the server that this is for. */
  createServer(options: ServerOptions): Server
  /** Ends what has not yet become a connection, and looks at the files no more. */
  close(): void
}

const LOOK_EVERY_MS = 2_000
const DAY_MS = 86_400_000
const SOON_MS = 14 * DAY_MS
/** The words of Go's server: `taco`, and people, know them. */
const WRONG_SCHEME = 'Client sent an HTTP request to an HTTPS server.\n'

/**
 * TLS with a certificate from files. A new certificate in the files is used for every connection from then on, and no
 * connection is dropped. The files are looked at again and again: watching them misses renewals by symbolic links,
 * which is how certbot and Kubernetes renew them.
 */
export async function openSecureListener(
  files: CertificateFiles,
  {
    log,
    clock,
    lookEveryMs = LOOK_EVERY_MS,
  }: { readonly log: Log; readonly clock: Clock; readonly lookEveryMs?: number },
): Promise<SecureListener> {
  let seen = await stampOf(files)
  let current = await readCertificate(files)
  let server: Server | undefined
  let warnedAt = -Infinity
  const handshaking = new Map<string, Socket>()
  warnIfExpiring()

  async function look(): Promise<void> {
    const stamp = await stampOf(files)
    if (stamp !== seen) {
      seen = stamp
      await load()
    }
    warnIfExpiring()
  }

  /** A renewal writes two files, and may be half done: then the next look finds them changed again. */
  async function load(): Promise<void> {
    let next: ServerCertificate
    try {
      next = await readCertificate(files)
    } catch (error) {
      log.warn('the new TLS certificate cannot be used: the server keeps the one that it has', { error })
      return
    }
    if (next.cert === current.cert && next.key === current.key) return
    current = next
    server?.setSecureContext({ ...settings(current) })
    warnedAt = -Infinity
    log.info('the server uses a new TLS certificate', { names: current.names, expiresAt: iso(current) })
  }

  function warnIfExpiring(): void {
    const now = clock.now()
    if (current.expiresAt - now > SOON_MS || now - warnedAt < DAY_MS) return
    warnedAt = now
    const message =
      current.expiresAt > now ? 'the TLS certificate expires soon' : 'the TLS certificate has expired'
    log.warn(message, { file: files.cert, expiresAt: iso(current) })
  }

  const looking = setInterval(() => void look(), lookEveryMs)
  looking.unref()
  return {
    createServer(options) {
      server = createServer({
        ...options,
        ...settings(current),
        ...(options.headersTimeout === undefined ? {} : { handshakeTimeout: options.headersTimeout }),
      })
      server.on('connection', (socket: Socket) => {
        const name = nameOf(socket)
        handshaking.set(name, socket)
        socket.once('close', () => handshaking.delete(name))
      })
      server.on('secureConnection', (socket) => handshaking.delete(nameOf(socket)))
      server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
        log.debug('TLS handshake failed', { address: socket.remoteAddress, reason: messageOf(error) })
        if (error.code === 'ERR_SSL_HTTP_REQUEST') answerPlainly(handshaking.get(nameOf(socket)))
      })
      return server
    },
    close() {
      clearInterval(looking)
      for (const socket of handshaking.values()) socket.destroy()
    },
  }
}

function settings({ cert, key }: ServerCertificate) {
  return { cert, key, minVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] } as const
}

/** The socket below a TLS socket has the same. */
function nameOf({ localAddress, remoteAddress, remotePort }: Socket | TLSSocket): string {
  return `${localAddress} ${remoteAddress} ${remotePort}`
}

function answerPlainly(socket: Socket | undefined): void {
  socket?.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: ${WRONG_SCHEME.length}\r\nConnection: close\r\n\r\n${WRONG_SCHEME}`,
  )
}

/** Changes when a file is written or replaced, or a symbolic link points elsewhere. */
async function stampOf({ cert, key }: CertificateFiles): Promise<string> {
  const of = async (path: string) => {
    const found = await stat(path).catch(() => undefined)
    return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeMs}`
  }
  return (await Promise.all([of(cert), of(key)])).join(' ')
}

function iso({ expiresAt }: ServerCertificate): string {
  return new Date(expiresAt).toISOString()
}
