import { readFileSync } from 'node:fs'

/** What is needed of `node:tls`. */
interface Tls {
  readonly rootCertificates: readonly string[]
  /** Since Node 22.15. */
  readonly getCACertificates?: (type: 'default') => readonly string[]
}

/** All certificates to trust: with an authority of ours, Node would forget its own and those of NODE_EXTRA_CA_CERTS. */
export function trusted(
  { getCACertificates, rootCertificates }: Tls,
  authority: string,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  if (getCACertificates !== undefined) return [...getCACertificates('default'), authority]
  return [...rootCertificates, ...extraOf(env['NODE_EXTRA_CA_CERTS']), authority]
}

/** One that cannot be read is ignored: Node has warned about it when it started. */
function extraOf(path: string | undefined): readonly string[] {
  try {
    return path ? [readFileSync(path, 'utf8')] : []
  } catch {
    return []
  }
}
