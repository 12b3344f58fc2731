import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { onTestFinished } from 'vitest'

export interface Feed {
  /** What came so far. */
  text(): string
  readonly reply: IncomingMessage
  readonly call: ClientRequest
}

/** Server-sent events of a face, until the test ends. */
export function followFeed(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Feed> {
  return new Promise((resolve, reject) => {
    const call = request(
      { host: '127.0.0.1', port, path, headers: { accept: 'text/event-stream', ...headers } },
      (reply) => {
        let text = ''
        reply.setEncoding('utf8')
        reply.on('data', (part: string) => (text += part))
        reply.on('error', () => {})
        resolve({ text: () => text, reply, call })
      },
    )
    call.on('error', reject)
    onTestFinished(() => void call.destroy())
    call.end()
  })
}
