import net from 'node:net'
import tls from 'node:tls'
import { createAnswerReader } from './answer-reader.ts'
import type { AnswerReader, ShortAnswer } from './answer-reader.ts'
import type { HttpAddress } from './transport.ts'

export interface ShortRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Requests that are in memory and have short answers, on kept-alive sockets: most of what a write costs is such requests,
 * and what node:http does around them (agents, request and answer as streams) costs twice as much as they do.
 */
export interface Exchanges {
  send(request: ShortRequest): Promise<ShortAnswer>
  close(): void
}

interface Job {
  readonly method: string
  readonly head: string
  readonly body: Uint8Array | undefined
  readonly resolve: (answer: ShortAnswer) => void
  readonly reject: (error: Error) => void
}

interface Line {
  readonly socket: net.Socket
  readonly reader: AnswerReader
  job: Job | undefined
  /** The server said that it may hang up then. */
  freeUntil: number
}

const SOCKETS = 128
/** Larger bodies are not copied to make one piece of head and body. */
const JOINED_BYTES = 16 * 1024

export function openExchanges(address: HttpAddress, idleTimeoutMs: number): Exchanges {
  const lines = new Set<Line>()
  const free: Line[] = []
  const waiting: Job[] = []
  let session: Buffer | undefined

  function connect(take: (chunk: Buffer) => void): net.Socket {
    const { hostname: host, port } = address
    const options = { host, port, noDelay: true, keepAlive: true }
    if (!address.secure) return net.connect({ ...options, onread: readInto(readBuffer, take) })
    const name = net.isIP(host) === 0 ? { servername: host } : {}
    const resumed = session === undefined ? {} : { session }
    const socket = tls.connect({ ...options, ...name, ...resumed, ALPNProtocols: ['http/1.1'] })
    return socket.on('session', (fresh) => (session = fresh)).on('data', take)
  }

  function openLine(): Line {
    const line: Line = {
      socket: connect((chunk) => received(line, chunk)),
      reader: createAnswerReader(),
      job: undefined,
      freeUntil: Infinity,
    }
    lines.add(line)
    line.socket.setTimeout(idleTimeoutMs)
    line.socket.on('timeout', () => fail(line, timedOut(idleTimeoutMs)))
    line.socket.on('error', (error) => fail(line, error))
    line.socket.on('end', () => ended(line))
    line.socket.on('close', () => {
      ended(line)
      lines.delete(line)
      serveWaiting()
    })
    return line
  }

  function received(line: Line, chunk: Buffer): void {
    // Nobody asked: whatever it is, it would be taken for the answer to the next request.
    if (line.job === undefined) return void line.socket.destroy()
    try {
      const answer = line.reader.push(chunk)
      if (answer !== undefined) finish(line, answer)
    } catch (error) {
      fail(line, error instanceof Error ? error : new Error(String(error)))
    }
  }

  function ended(line: Line): void {
    const answer = line.job === undefined ? undefined : line.reader.end()
    if (answer !== undefined) finish(line, answer)
    else fail(line, Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' }))
  }

  function finish(line: Line, answer: ShortAnswer): void {
    const { job, socket } = line
    line.job = undefined
    // An answer that came before the whole request was sent leaves the rest of it on the line.
    if (!answer.isReusable || socket.writableLength > 0 || socket.destroyed) socket.destroy()
    else {
      const seconds = /timeout=(\d+)/.exec(answer.headers['keep-alive'] ?? '')?.[1]
      line.freeUntil = seconds === undefined ? Infinity : performance.now() + (Number(seconds) - 1) * 1000
      const next = waiting.shift()
      if (next !== undefined) start(line, next)
      else {
        socket.unref()
        free.push(line)
      }
    }
    job?.resolve(answer)
  }

  function fail(line: Line, error: Error): void {
    const { job } = line
    line.job = undefined
    const at = free.indexOf(line)
    if (at >= 0) free.splice(at, 1)
    line.socket.destroy()
    job?.reject(error)
  }

  function serveWaiting(): void {
    while (waiting.length > 0 && lines.size < SOCKETS) {
      const job = waiting.shift()
      if (job !== undefined) start(openLine(), job)
    }
  }

  function freeLine(): Line | undefined {
    for (let line = free.pop(); line !== undefined; line = free.pop()) {
      if (!line.socket.destroyed && performance.now() < line.freeUntil) return line
      line.socket.destroy()
    }
    return undefined
  }

  function start(line: Line, job: Job): void {
    const { socket, reader } = line
    const { method, head, body } = job
    line.job = job
    reader.expect(method)
    socket.ref()
    if (body === undefined || body.byteLength === 0) socket.write(head, 'latin1')
    else if (body.byteLength <= JOINED_BYTES) {
      const joined = Buffer.allocUnsafe(head.length + body.byteLength)
      joined.write(head, 'latin1')
      joined.set(body, head.length)
      socket.write(joined)
    } else {
      socket.cork()
      socket.write(head, 'latin1')
      socket.write(body)
      socket.uncork()
    }
  }

  function send(request: ShortRequest): Promise<ShortAnswer> {
    return new Promise((resolve, reject) => {
      const { method, body, signal } = request
      const plain: Job = { method, head: headText(request), body, resolve, reject }
      const job = signal === undefined ? plain : abortable(plain, signal)
      const line = freeLine() ?? (lines.size < SOCKETS ? openLine() : undefined)
      if (line === undefined) waiting.push(job)
      else start(line, job)
    })
  }

  function abortable(job: Job, signal: AbortSignal): Job {
    const own: Job = {
      ...job,
      resolve(answer) {
        signal.removeEventListener('abort', abort)
        job.resolve(answer)
      },
      reject(error) {
        signal.removeEventListener('abort', abort)
        job.reject(error)
      },
    }
    function abort(): void {
      const at = waiting.indexOf(own)
      if (at >= 0) waiting.splice(at, 1)
      for (const line of lines) if (line.job === own) return fail(line, new Error('aborted'))
      own.reject(new Error('aborted'))
    }
    signal.addEventListener('abort', abort, { once: true })
    return own
  }

  return {
    send,
    close() {
      for (const line of lines) line.socket.destroy()
    },
  }
}

/** All lines read into one buffer: what came is looked at, and kept by whoever needs more of it, before more is read. */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024)

function readInto(buffer: Buffer, take: (chunk: Buffer) => void): net.OnReadOpts {
  return {
    buffer,
    callback(count) {
      take(buffer.subarray(0, count))
      return true
    },
  }
}

function headText({ method, target, headers }: ShortRequest): string {
  let text = `${method} ${target} HTTP/1.1\r\n`
  let isClean = !/[^\u0021-\u007e]/.test(target)
  for (const name of Object.keys(headers)) {
    const value = headers[name] ?? ''
    // With a line end in it, a value would bring headers of its own.
    isClean &&= !/[^\t\u0020-\u007e\u0080-\u00ff]/.test(value)
    text += `${name}: ${value}\r\n`
  }
  if (isClean) return `${text}\r\n`
  throw Object.assign(new Error('a header has a character that it cannot have'), { code: 'ERR_INVALID_CHAR' })
}

function timedOut(ms: number): Error {
  return Object.assign(new Error(`nothing came for ${ms / 1000} s`), { code: 'ETIMEDOUT' })
}
