const FREE_EVERY = 8 * 2 ** 20
/** Of all requests together: many small states leave as many buffers behind as a large one. */
let since = 0

/** Passes chunks on and has the buffers of those that are done with freed now and again, so that they do not pile up. */
export async function* freeing(
  chunks: AsyncIterable<Uint8Array>,
  freeBuffers: () => void = () => {},
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    since += chunk.byteLength
    if (since >= FREE_EVERY) {
      since = 0
      freeBuffers()
    }
    yield chunk
  }
}
