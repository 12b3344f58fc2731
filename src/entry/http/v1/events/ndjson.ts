import type { Log } from '../../../../base/log.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { problemOf } from '../../kit/response/problem.ts'
import { logFailure } from '../../kit/response/respond.ts'

/**
 * One JSON value per line, as they come. A failure before the first line is thrown, so that it gets a status of its
 * own; a later one becomes the last line, `{"error": problem}`. `last` adds a line at a good end.
 */
export function ndjson(
  lines: AsyncIterable<unknown>,
  options: { readonly x: Exchange; readonly log: Log; readonly last?: () => unknown },
) {
  return { type: 'application/x-ndjson', chunks: rendered(lines, options) }
}

async function* rendered(
  lines: AsyncIterable<unknown>,
  { x, log, last }: Parameters<typeof ndjson>[1],
): AsyncGenerator<Uint8Array> {
  let isFirst = true
  try {
    for await (const value of lines) {
      isFirst = false
      yield line(value)
    }
  } catch (error) {
    if (isFirst) throw error
    logFailure(error, x, log)
    yield line({ error: problemOf(error, x.requestId) })
    return
  }
  if (last !== undefined) yield line(last())
}

function line(value: unknown): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`)
}
