import type { Generation } from '../generations/generation.ts'
import type { ReadableFile, WritableFile } from '../fs/fs-ops.ts'

const PART = 256 * 1024

/** Copies a generation's bytes and its made-up time, durable when this answers; closes both. */
export async function copyInto(to: WritableFile, from: ReadableFile, generation: Generation): Promise<void> {
  try {
    const buffer = Buffer.allocUnsafe(Math.min(PART, Math.max(generation.size, 1)))
    for (let at = 0; ;) {
      const count = await from.read(buffer, at)
      if (count === 0) break
      await to.write(buffer.subarray(0, count))
      at += count
    }
    await to.setTime(Number.parseInt(generation.id, 36))
    await to.sync()
  } finally {
    await from.close()
    await to.close()
  }
}
