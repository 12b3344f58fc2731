import { setFlagsFromString } from 'node:v8'
import type { ServeInput } from './serve-options.ts'

export interface Served {
  readonly url: string
  /** The bucket's address without secrets. */
  readonly bucket: string
  /** Answers what is under way, then stops. */
  close(): Promise<void>
}

/**
 * Starts a server. Buffers that a large upload leaves behind are freed when young memory is full of objects, of which
 * an upload makes few: with room for 16 MB of them, some 60 MB of buffers would pile up. So young memory stays small,
 * which has to be said before most of the program is loaded.
 */
export async function serve(input: ServeInput): Promise<Served> {
  setFlagsFromString('--semi-space-growth-factor=1')
  const { runServer } = await import('./run-server.ts')
  return runServer(input)
}

export { ServeOptions } from './serve-options.ts'
export type { ServeInput } from './serve-options.ts'
