import { TacoError } from '../../../base/errors.ts'
import type { Body } from '../../bucket.ts'

/** A body stream that fails at its end, instead of leaving the store waiting for bytes that never arrive. */
export async function* measured(body: Body): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const part of body.stream()) {
    size += part.byteLength
    if (size > body.size) break
    yield part
  }
  if (size !== body.size) {
    const came = size > body.size ? 'more' : String(size)
    throw new TacoError('UNEXPECTED', `The body should have ${body.size} bytes but has ${came}.`)
  }
}
