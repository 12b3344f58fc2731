import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { usageError } from '../terminal/exit-codes.ts'
import type { ServeOptions } from '../world.ts'

export interface TlsFlags {
  readonly tls?: 'auto'
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly tlsName?: string
}

interface Place {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
}

/** Where `--tls auto` keeps its certificates and keys. */
export function tlsFolder({ env, home }: Place): string {
  return join(env['XDG_DATA_HOME'] || join(home, '.local', 'share'), 'opentaco', 'tls')
}

/** The certificate of the authority that `--tls auto` makes. */
export function localCaFile(place: Place): string {
  return join(tlsFolder(place), 'ca.crt')
}

/** Undefined: plain HTTP. */
export function tlsOf(
  flags: TlsFlags,
  listen: string,
  place: Place & { readonly cwd: string },
): ServeOptions['tls'] {
  const { tls, tlsCert: cert, tlsKey: key, tlsName } = flags
  if (tls === 'auto') {
    if (cert || key)
      throw usageError(
        '--tls auto cannot be used with --tls-cert or --tls-key.',
        'Leave out --tls auto to use your own certificate.',
      )
    return { kind: 'auto', folder: tlsFolder(place), names: [...hostOf(listen), ...namesOf(tlsName)] }
  }
  if (tlsName) throw usageError('--tls-name needs --tls auto.', 'Your own certificate already has its names.')
  if (!cert && !key) return undefined
  if (!cert || !key)
    throw usageError(
      cert ? '--tls-cert needs --tls-key.' : '--tls-key needs --tls-cert.',
      'Give both files. They can be the same file.',
    )
  return { kind: 'files', cert: resolve(place.cwd, cert), key: resolve(place.cwd, key) }
}

const NAME =
  /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i

function namesOf(text = ''): readonly string[] {
  const names = text
    .split(',')
    .map((name) => name.trim().replace(/^\[|\]$/g, ''))
    .filter(Boolean)
  const wrong = names.find((name) => isIP(name) === 0 && (!NAME.test(name) || name.length > 253))
  if (wrong === undefined) return names
  throw usageError(
    `${JSON.stringify(wrong)} is not a host name or an address.`,
    'Write --tls-name as taco.example.test or 10.0.0.5, separated by commas.',
  )
}

/** Clients use the address that the server listens on, if it is one. */
function hostOf(listen: string): readonly string[] {
  const host = listen.replace(/:?\d*$/, '').replace(/^\[|\]$/g, '')
  return host === '' || host === '0.0.0.0' || host === '::' ? [] : namesOf(host)
}
