import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** The address of a store that gives these answers in turn, the last one for ever; for tests. */
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
