import type { OutgoingHttpHeaders } from 'node:http'
import { TacoError } from '../../../../base/errors.ts'
import type { Exchange } from '../exchange.ts'

/** Up to this size an object is sent by one write; above, chunk by chunk in bounded memory. */
const WHOLE_UP_TO = 256 * 1024

export interface Sendable {
  readonly size: number
  bytes(): Promise<Uint8Array>
  stream(): AsyncIterable<Uint8Array>
}

export async function sendBytes(
  x: Exchange,
  what: Sendable,
  headers: OutgoingHttpHeaders,
  status = 200,
): Promise<void> {
  headers['content-length'] = what.size
  if (what.size <= WHOLE_UP_TO) {
    // Before the head is out, so that a bucket that fails now still gets a proper answer.
    const bytes = await what.bytes()
    x.res.writeHead(status, headers)
    x.res.end(bytes)
    return
  }
  await sendChunks(x, what.stream(), () => x.res.writeHead(status, headers))
  x.res.end()
}

/**
 * A chunk is valid only until the next one is asked for, so each must have left before that. `head` is written with
 * the first chunk: a stream that fails at once can still be answered with a problem.
 */
export async function sendChunks(
  x: Exchange,
  chunks: AsyncIterable<Uint8Array>,
  head: () => void,
): Promise<void> {
  const { res } = x
  let wake: (error?: Error | null) => void = () => {}
  let isClosed = res.destroyed
  const onClose = () => {
    isClosed = true
    wake(new TacoError('CANCELLED', 'The client closed the connection.'))
  }
  res.once('close', onClose)
  let isFirst = true
  try {
    for await (const chunk of chunks) {
      if (isFirst) head()
      isFirst = false
      x.waitsForClient = true
      await new Promise<void>((resolve, reject) => {
        wake = (error) => (error ? reject(error) : resolve())
        // A socket that is gone takes the chunk and never calls back.
        if (isClosed) onClose()
        else res.write(chunk, wake)
      })
      x.waitsForClient = false
    }
    if (isFirst) head()
  } finally {
    x.waitsForClient = false
    res.off('close', onClose)
  }
}
