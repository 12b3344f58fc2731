import { isUtf8 } from 'node:buffer'

const NOTHING = new Uint8Array(0)

/** Checks a stream for UTF-8 with the native check, which only knows wholes: a character cut in two waits for its rest. */
export class Utf8Check {
  private waiting: Uint8Array = NOTHING

  /** Undefined while all is well, else about where in this chunk the first bad byte is. */
  push(chunk: Uint8Array): number | undefined {
    let from = 0
    if (this.waiting.length > 0) {
      from = Math.min(sequenceLength(this.waiting[0] as number) - this.waiting.length, chunk.length)
      this.waiting = Buffer.concat([this.waiting, chunk.subarray(0, from)])
      if (this.waiting.length < sequenceLength(this.waiting[0] as number)) return undefined
      if (!isUtf8(this.waiting)) return 0
      this.waiting = NOTHING
    }
    const to = chunk.length - cutLength(chunk, from)
    const whole = chunk.subarray(from, to)
    if (!isUtf8(whole)) return from + firstBad(whole)
    if (to < chunk.length) this.waiting = new Uint8Array(chunk.subarray(to))
    return undefined
  }

  /** False in the middle of a character. */
  isComplete(): boolean {
    return this.waiting.length === 0
  }
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0 && lead < 0xf8) return 4
  if (lead >= 0xe0 && lead < 0xf0) return 3
  return lead >= 0xc0 && lead < 0xe0 ? 2 : 1
}

/** How many bytes at the end belong to a character that is not all there. */
function cutLength(bytes: Uint8Array, from: number): number {
  for (let back = 1; back <= 3 && bytes.length - back >= from; back++) {
    const byte = bytes[bytes.length - back] as number
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return sequenceLength(byte) > back ? back : 0
  }
  return 0
}

function firstBad(bytes: Uint8Array): number {
  let at = 0
  while (at < bytes.length) {
    const length = sequenceLength(bytes[at] as number)
    if (!isUtf8(bytes.subarray(at, at + length))) return at
    at += length
  }
  return at
}
