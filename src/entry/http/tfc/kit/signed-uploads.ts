import type { z } from 'zod'
import type { Exchange } from '../../kit/exchange.ts'
import { freeing } from '../../kit/freeing.ts'
import { received } from '../../kit/request/receive.ts'
import { type TfcServices, baseUrl } from './define.ts'
import { openSignedPart, signedPart } from './signed-urls.ts'

const VALID_MS = 3_600_000

/**
 * Addresses that take one upload, for an hour. The address itself is the permission: clients send no token to it.
 * `kind` is part of the path, and of what is signed.
 */
export function signedUploads<T extends z.ZodType>(kind: string, schema: T) {
  const use = `upload of ${kind}`
  return {
    path: `/api/v2/uploads/${kind}/{signed}`,
    /** For the target of the route. */
    open(
      { params }: { readonly params: { readonly signed: string } },
      services: Pick<TfcServices, 'signer' | 'clock'>,
    ): z.output<T> {
      return schema.parse(openSignedPart(services, use, params.signed))
    },
    url(x: Exchange, services: TfcServices, content: z.input<T>): string {
      const part = signedPart(services.signer, use, content, services.clock.now() + VALID_MS)
      return `${baseUrl(x, services)}/api/v2/uploads/${kind}/${part}`
    },
  }
}

/** The body of an upload. */
export function uploaded(
  x: Exchange,
  { freeBuffers }: Pick<TfcServices, 'freeBuffers'>,
): AsyncIterable<Uint8Array> {
  return freeing(received(x), freeBuffers)
}
