import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** The address of a store that gives these answers in turn, repeating the last one; for tests. */
export async function storeThatAnswers(...answers: readonly RequestListener[]): Promise<string> {
  let count = 0
  const server = createServer((request, response) => {
    request.resume()
    answers[Math.min(count++, answers.length - 1)]?.(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export function answer(status: number, headers: Record<string, string> = {}, body = ''): RequestListener {
  return (_, response) =>
    response.writeHead(status, { 'content-length': String(body.length), ...headers }).end(body)
}

/** What a web server sends for any request, even with a tag. */
export const page = answer(200, { etag: '"5f"', 'content-type': 'text/html' }, 'Welcome')

/** Ten bytes of an object with these headers, or less of them. */
export function tenBytes(object: Record<string, string>) {
  const brokenOff: RequestListener = (request, response) => {
    response.writeHead(200, { ...object, 'content-length': '10' })
    response.write('01234', () => request.socket.destroy())
  }
  const part = (range: string, text: string) =>
    answer(206, { ...object, 'content-range': `bytes ${range}` }, text)
  return { brokenOff, part }
}
