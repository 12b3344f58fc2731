import { createReadStream, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { TacoError, reasonOf } from '../../../base/errors.ts'
import type { World } from '../world.ts'
import type { Upload } from './client.ts'

/** Read twice, so that a file of any size is never held in memory: once for its digest, once for the wire. */
export async function uploadOf({ cwd }: Pick<World, 'cwd'>, file: string, hint: string): Promise<Upload> {
  const path = resolve(cwd, file)
  const { createHash } = await import('node:crypto')
  try {
    const { size } = statSync(path)
    const digest = createHash('md5')
    for await (const part of createReadStream(path) as AsyncIterable<Buffer>) digest.update(part)
    return {
      size,
      md5: digest.digest('base64'),
      content: createReadStream(path, { end: Math.max(0, size - 1), highWaterMark: 256 * 1024 }),
    }
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    const why = isMissing ? `There is no file ${file}.` : `Cannot read ${file}: ${reasonOf(error)}.`
    throw new TacoError('BAD_REQUEST', why, { hint, cause: error })
  }
}
