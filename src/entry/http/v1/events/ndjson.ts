import type { Log } from '../../../../base/log.ts'
import type { ApiExchange } from '../../openapi/api.ts'
import { renderProblem } from '../../kit/response/problem.ts'
import { logFailure } from '../../kit/response/respond.ts'

/**
 * One JSON value per line, as they come. A failure before the first line is thrown, so that it gets a status of its
 * own; a later one becomes the last line, `{"error": problem}`. `last` adds a line at a good end.
 */
export async function ndjson(
  lines: AsyncIterable<unknown>,
  exchange: ApiExchange,
  options: { log: Log; last?: () => unknown },
): Promise<Response> {
  const iterator = lines[Symbol.asyncIterator]()
  let next: IteratorResult<unknown> | undefined = await iterator.next()

  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const result = next ?? (await iterator.next())
        next = undefined
        if (result.done !== true) {
          controller.enqueue(line(result.value))
          return
        }
        if (options.last !== undefined) controller.enqueue(line(options.last()))
      } catch (error) {
        logFailure(error, exchange, options.log)
        controller.enqueue(line({ error: renderProblem(error, exchange.requestId).problem }))
      }
      controller.close()
    },
    async cancel() {
      await iterator.return?.()
    },
  })
  return new Response(body, { headers: { 'content-type': 'application/x-ndjson' } })
}

function line(value: unknown): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`)
}
