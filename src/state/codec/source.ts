import { corrupt } from './corrupt.ts'

export interface Source {
  take(length: number): AsyncGenerator<Uint8Array>
  takeAll(length: number): Promise<Buffer>
  rest(): AsyncGenerator<Uint8Array>
  /** Throws when something is left. */
  end(): Promise<void>
  /** Lets go of the stream, read to its end or not. */
  close(): Promise<void>
}

/** Reads a stream in portions of our choosing. */
export function createSource(stream: AsyncIterable<Uint8Array>): Source {
  const iterator = stream[Symbol.asyncIterator]()
  let chunk: Uint8Array = new Uint8Array(0)

  async function more(): Promise<boolean> {
    while (chunk.length === 0) {
      const next = await iterator.next()
      if (next.done === true) return false
      chunk = next.value
    }
    return true
  }

  async function* take(length: number): AsyncGenerator<Uint8Array> {
    let left = length
    while (left > 0) {
      if (!(await more())) throw corrupt('it ends too early')
      const part = chunk.subarray(0, left)
      chunk = chunk.subarray(part.length)
      left -= part.length
      yield part
    }
  }

  async function takeAll(length: number): Promise<Buffer> {
    const parts: Uint8Array[] = []
    for await (const part of take(length)) parts.push(new Uint8Array(part))
    return Buffer.concat(parts)
  }

  async function* rest(): AsyncGenerator<Uint8Array> {
    while (await more()) {
      const part = chunk
      chunk = chunk.subarray(part.length)
      yield part
    }
  }

  async function end(): Promise<void> {
    if (await more()) throw corrupt('something is left over')
  }

  async function close(): Promise<void> {
    await iterator.return?.()
  }

  return { take, takeAll, rest, end, close }
}
