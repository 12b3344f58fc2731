import { badRequest } from '../base/errors.ts'

/** Reads what `sha256sum` writes: hashes in lower case by file name. */
export function parseSha256Sums(bytes: Uint8Array): ReadonlyMap<string, string> {
  const text = Buffer.from(bytes).toString('utf8')
  const sums = new Map<string, string>()
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const found = /^([0-9A-Fa-f]{64}) [ *](\S+)\r?$/.exec(line)
    if (found === null)
      throw badRequest(
        'body',
        `Line ${at + 1} of SHA256SUMS is not a checksum and a file name.`,
        'Send what `sha256sum *.zip` prints.',
      )
    sums.set(found[2] ?? '', (found[1] ?? '').toLowerCase())
  }
  if (sums.size === 0) throw badRequest('body', 'SHA256SUMS is empty.', 'Send what `sha256sum *.zip` prints.')
  return sums
}
