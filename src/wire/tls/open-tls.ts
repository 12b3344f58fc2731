import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { ServeOptions } from '../serve-options.ts'
import { type SecureListener, openSecureListener } from './secure-server.ts'

/** The certificate that the options name, watched and renewed while the server runs. */
export async function openTls(
  options: NonNullable<ServeOptions['tls']>,
  deps: { readonly log: Log; readonly clock: Clock },
): Promise<SecureListener> {
  if (options.kind === 'files') return openSecureListener(options, deps)
  const { openLocalCertificate } = await import('./local-certificate.ts')
  const local = await openLocalCertificate(options, deps)
  const listener = await openSecureListener(local, deps)
  return {
    createServer: listener.createServer,
    close() {
      local.close()
      listener.close()
    },
  }
}
