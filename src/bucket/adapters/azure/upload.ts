import { Readable } from 'node:stream'
import type { Body } from '../../bucket.ts'
import { measured } from './check-length.ts'

type Source = Buffer | (() => Readable)

/**
 * An error of a stream that the SDK sends ends the process, so a body that throws aborts the request instead,
 * and what it threw is thrown here.
 */
export async function upload<T>(
  body: Body,
  outer: AbortSignal | undefined,
  send: (source: Source, signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  const { bytes } = body
  if (bytes !== undefined) return send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), outer)
  const failed = new AbortController()
  async function* watched() {
    try {
      yield* measured(body)
    } catch (error) {
      failed.abort(error)
      // Ending the upload would make the store take the bytes so far for the whole.
      await new Promise<never>(() => undefined)
    }
  }
  const signal = outer === undefined ? failed.signal : AbortSignal.any([outer, failed.signal])
  try {
    return await send(() => Readable.from(watched(), { objectMode: false }), signal)
  } catch (error) {
    if (outer?.aborted !== true && failed.signal.aborted) throw failed.signal.reason
    throw error
  }
}
