import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Again } from '../../../base/retry.ts'
import { unavailable } from './failures.ts'

/** The whole answer. A broken one may be requested again. */
export async function wholeText(answer: IncomingMessage, label: string): Promise<string> {
  try {
    const parts: Buffer[] = []
    for await (const part of answer as AsyncIterable<Buffer>) parts.push(part)
    if (answer.complete) return Buffer.concat(parts).toString()
  } catch (error) {
    throw new Again(unavailable(label, 'the answer was cut off', {}, error))
  }
  throw new Again(unavailable(label, 'the answer was cut off'))
}

const ENOUGH = 64 * 1024

/** For answers whose status says enough: whatever arrived of the text will do. */
export async function shortText(answer: IncomingMessage): Promise<string> {
  let text = ''
  try {
    for await (const part of answer.setEncoding('utf8') as AsyncIterable<string>) {
      text += part
      if (text.length > ENOUGH) break
    }
  } catch {
    return text
  }
  return text
}

/** An answer of which only the head matters, or a short text. */
export interface ShortAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** As much as is worth reading. */
  readonly text: string
}

export async function shortened(answer: IncomingMessage): Promise<ShortAnswer> {
  const { statusCode: status = 0, headers } = answer
  if (status >= 300) return { status, headers, text: await shortText(answer) }
  answer.resume()
  return { status, headers, text: '' }
}
