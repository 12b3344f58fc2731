import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { openS3Bucket } from '../../src/bucket/adapters/s3/bucket.ts'
import type { S3Options } from '../../src/bucket/adapters/s3/bucket.ts'

export type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A store that gives these answers in turn, the last one for ever, and a bucket that talks to it; for tests. */
export async function scripted(answers: readonly Answer[], options: Partial<S3Options> = {}) {
  const requests: IncomingMessage[] = []
  const pauses: number[] = []
  const server = createServer((request, response) => {
    request.resume()
    const answer = answers[Math.min(requests.length, answers.length - 1)]
    requests.push(request)
    answer?.(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const bucket = openS3Bucket({
    bucket: 'states',
    endpoint: `http://127.0.0.1:${port}`,
    env: { AWS_ACCESS_KEY_ID: 'the-id', AWS_SECRET_ACCESS_KEY: 'the-secret' },
    clock: { ...systemClock, sleep: (ms) => Promise.resolve(void pauses.push(ms)) },
    ...options,
  })
  onTestFinished(async () => {
    await bucket.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { bucket, requests, pauses }
}

export const ok: Answer = (_, response) =>
  response.writeHead(200, { etag: '"tag"', 'content-length': '0' }).end()
export const refusal =
  (status: number, code: string, headers: Record<string, string> = {}): Answer =>
  (request, response) => {
    response
      .writeHead(status, headers)
      .end(request.method === 'HEAD' ? '' : `<Error><Code>${code}</Code></Error>`)
  }
