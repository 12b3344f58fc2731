import { readFileSync } from 'node:fs'
import { TacoError, reasonOf } from '../../../base/errors.ts'
import type { Remembered } from './config-file.ts'
import { type GlobalFlags, type Target, isLoopbackServer } from './settings.ts'
import { localCaFile } from './tls-settings.ts'

/**
 * The private authority (PEM) that issued the certificate of the target: what --ca-file names; otherwise, for a server
 * on this machine, the one that its `--tls auto` made. It is trusted instead of the public ones, as with curl: reading
 * all of those takes longer than the rest of a command. What NODE_EXTRA_CA_CERTS names still counts.
 */
export function chooseAuthority(
  flags: GlobalFlags,
  { env, home }: { readonly env: Readonly<Record<string, string | undefined>>; readonly home: string },
  remembered: Remembered,
  { kind, address, from }: Target,
): string | undefined {
  if (kind !== 'server' || !address.startsWith('https:')) return undefined
  const named = flags.caFile || env['TACO_CA_FILE'] || (from === 'remembered' ? remembered.caFile : undefined)
  const chosen = named
    ? readAuthority(named)
    : isLoopbackServer(address)
      ? readIfThere(localCaFile({ env, home }))
      : undefined
  const extra = chosen && readIfThere(env['NODE_EXTRA_CA_CERTS'])
  return extra ? `${chosen}\n${extra}` : chosen
}

function readAuthority(path: string): string {
  let pem: string
  try {
    pem = readFileSync(path, 'utf8')
  } catch (cause) {
    throw unusable(`The file with the certificate authority cannot be read: ${reasonOf(cause)}.`, cause)
  }
  if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem
  throw unusable(`There is no certificate in ${path}.`)
}

function readIfThere(path: string | undefined): string | undefined {
  try {
    return path ? readFileSync(path, 'utf8') : undefined
  } catch {
    return undefined
  }
}

function unusable(message: string, cause?: unknown): TacoError {
  return new TacoError('BAD_REQUEST', message, {
    hint: 'Give --ca-file a PEM file with the certificate of the issuer.',
    cause,
  })
}
