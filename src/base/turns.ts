/** Long enough that a pause costs nothing in comparison, and too short to be noticed. */
const SLICE_MS = 8
const SLICE_BYTES = 256 * 1024

/** Long work in this thread, in slices: others get their turn whenever this one has lasted long enough. */
export class Turns {
  private since = performance.now()
  private readonly sliceMs: number

  constructor(sliceMs = SLICE_MS) {
    this.sliceMs = sliceMs
  }

  /** Undefined: it is too early for a pause. */
  pause(): Promise<void> | undefined {
    if (performance.now() - this.since < this.sliceMs) return undefined
    return new Promise((resolve) => {
      setImmediate(() => {
        this.since = performance.now()
        resolve()
      })
    })
  }

  /** Parts of many bytes that take a few milliseconds each to look at. */
  *slices(bytes: Uint8Array): Generator<Uint8Array> {
    if (bytes.length <= SLICE_BYTES) yield bytes
    else for (let at = 0; at < bytes.length; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES)
  }
}
