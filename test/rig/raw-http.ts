import { connect } from 'node:net'

export interface RawAnswer {
  /** Undefined: the connection was closed without an answer. */
  readonly status: number | undefined
  readonly body: string
}

/**
 * Sends exact bytes (latin1: one character is one byte) over a new connection and reads until the server ends it, so
 * the request should contain `Connection: close`.
 */
export function sendRaw(port: number, request: string): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const parts: Buffer[] = []
    socket.on('data', (part) => parts.push(part))
    // A server may reset the connection while we still send; what it sent before counts.
    socket.on('error', () => {})
    socket.on('close', () => {
      const text = Buffer.concat(parts).toString('latin1')
      const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]
      const end = text.indexOf('\r\n\r\n')
      resolve({
        status: status === undefined ? undefined : Number(status),
        body: end === -1 ? '' : text.slice(end + 4),
      })
    })
    // Ending our side would make node give up answers that are not ready yet.
    socket.write(Buffer.from(request, 'latin1'))
  })
}
