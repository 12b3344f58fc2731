import type { OutgoingHttpHeaders } from 'node:http'
import type { Found } from '../../../../bucket/index.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { sendBytes } from '../../kit/response/send-bytes.ts'

/** Answers with the bytes that somebody uploaded. Browsers store them instead of showing them. */
export async function sendContent(x: Exchange, found: Found, type: string): Promise<void> {
  const headers: OutgoingHttpHeaders = {
    ...x.style.headers,
    'x-request-id': x.requestId,
    'content-type': type,
    'content-disposition': 'attachment',
  }
  if (x.method !== 'HEAD') return sendBytes(x, found, headers)
  found.discard()
  x.res.writeHead(200, { ...headers, 'content-length': found.size })
  x.res.end()
}
