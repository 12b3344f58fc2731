import { connect, type Socket } from 'node:net'

export interface Answered {
  readonly status: number
  readonly bytes: number
  /** The first of the body, for messages and small answers. */
  readonly text: string
}

export interface RawConnection {
  /** One at a time. `head` without the empty line at its end. */
  send(head: string, body?: Uint8Array | AsyncIterable<Uint8Array>): Promise<Answered>
  /** False once the server hung up, which it may do between requests. */
  isOpen(): boolean
  close(): void
}

const TEXT_UP_TO = 64 * 1024
/** All connections read into this one: what is read is looked at before anything else is read. */
const readBuffer = Buffer.allocUnsafeSlow(512 * 1024)

/** HTTP on a bare socket, for answers with a Content-Length: it must cost less than what it measures. */
export async function openRaw(port: number): Promise<RawConnection> {
  const answer = createAnswer()
  const socket = await new Promise<Socket>((resolve, reject) => {
    const opening = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: readBuffer,
        callback: (count, buffer) => {
          answer.read(
            Buffer.isBuffer(buffer) ? buffer.subarray(0, count) : Buffer.from(buffer.buffer, 0, count),
          )
          return true
        },
      },
    })
    opening.once('connect', () => resolve(opening))
    opening.once('error', reject)
  })
  socket.on('error', (error) => answer.fail(error))
  socket.on('close', () => answer.fail(new Error('the server hung up')))

  async function stream(parts: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const part of parts) await new Promise<void>((resolve) => socket.write(part, () => resolve()))
  }

  return {
    send(head, body) {
      const whole = answer.expect()
      if (socket.destroyed) answer.fail(new Error('the connection is closed'))
      socket.cork()
      socket.write(`${head}\r\n\r\n`, 'latin1')
      if (body instanceof Uint8Array) socket.write(body)
      socket.uncork()
      if (body !== undefined && !(body instanceof Uint8Array))
        stream(body).catch((error) => answer.fail(error))
      return whole
    },
    isOpen: () => !socket.destroyed && !socket.readableEnded,
    close: () => socket.destroy(),
  }
}

function createAnswer() {
  let head = ''
  let text = ''
  let status = 0
  let bytes = 0
  /** Bytes of the body still to come; -1 while the head is incomplete. */
  let left = -1
  let resolve: (answered: Answered) => void = () => {}
  let reject: (error: Error) => void = () => {}

  function body(part: Buffer): void {
    left -= part.length
    if (text.length < TEXT_UP_TO && bytes < TEXT_UP_TO) text += part.toString('latin1', 0, TEXT_UP_TO)
    if (left === 0) resolve({ status, bytes, text })
  }

  return {
    expect: () => {
      head = ''
      text = ''
      left = -1
      return new Promise<Answered>((whole, failed) => {
        resolve = whole
        reject = failed
      })
    },
    fail: (error: Error) => reject(error),
    read(part: Buffer): void {
      if (left >= 0) return body(part)
      const before = head.length
      head += part.toString('latin1', 0, Math.min(part.length, 16_384))
      const end = head.indexOf('\r\n\r\n')
      if (end === -1) return
      status = Number(head.slice(9, 12))
      bytes = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
      left = bytes
      body(part.subarray(end + 4 - before))
    },
  }
}
