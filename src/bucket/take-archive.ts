import { type ArchiveLimits, createArchiveCheck } from '../base/archive/archive-check.ts'
import { TacoError } from '../base/errors.ts'
import type { Spool } from '../base/spool.ts'
import { type Taken, takeIn } from './take-in.ts'

export interface ArchiveUploadLimits extends ArchiveLimits {
  /** As uploaded. */
  readonly maxArchiveBytes: number
}

/** Takes a tar archive in, compressed with gzip. Throws ARCHIVE_INVALID, or TOO_LARGE. */
export async function takeArchive(
  stream: AsyncIterable<Uint8Array>,
  spool: Spool,
  limits: ArchiveUploadLimits,
  declaredBytes?: number,
): Promise<Taken> {
  const check = await createArchiveCheck(limits)
  const options = { maxBytes: limits.maxArchiveBytes, declaredBytes, tooLarge }
  const taken = await takeIn(stream, spool, options, (chunk) => check.push(chunk))
  try {
    await check.finish()
    return taken
  } catch (error) {
    await taken.dispose()
    throw error
  }
}

function tooLarge(maxBytes: number): TacoError {
  return new TacoError('TOO_LARGE', `The archive is larger than ${maxBytes} bytes.`, {
    facts: { field: 'body', maxBytes },
    hint: 'Leave out what is not needed.',
  })
}
