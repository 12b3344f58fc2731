import { type Principal, stranger } from '../../../access/index.ts'
import { knowingNames } from '../auth/known-names.ts'
import type { Exchange } from '../kit/exchange.ts'
import type { S3Services } from './define.ts'
import { s3Error } from './s3-error.ts'
import { readSignature } from './signature/authorization.ts'
import type { ChunkKey } from './signature/chunked.ts'

/** What the rest of a request is checked with. */
const verified = new WeakMap<Exchange, ChunkKey>()

/** Undefined: no one checks who signed. */
export function chunkKeyOf(x: Exchange): ChunkKey | undefined {
  return verified.get(x)
}

/** By the signature of the request, and nothing else. */
export function identifyBySignature({ keys, clock, control }: S3Services) {
  async function identify(x: Exchange): Promise<Principal> {
    const { method, path, query, req, address } = x
    if (/(^|&)X-Amz-Signature=/i.test(query))
      throw s3Error('NotImplemented', 'Presigned addresses are not supported.', {
        hint: 'Sign the request in the header Authorization.',
      })
    const visit = { headers: req.headers, address }
    const signature = readSignature({ method, path, query, headers: req.headers }, clock.now())
    if (signature === undefined) return keys.isOpen ? keys.identify('', visit, () => false) : stranger
    let chunkKey: ChunkKey | undefined
    const principal = await keys.identify(signature.accessKeyId, visit, (secret) => {
      const key = signature.verified(secret)
      if (key !== undefined) chunkKey = { key, signature }
      return key !== undefined
    })
    if (chunkKey !== undefined) verified.set(x, chunkKey)
    return principal
  }

  return (x: Exchange): Principal | Promise<Principal> =>
    knowingNames({ kind: 'token', identify: () => identify(x) }, control.orgNames, clock).identify({
      headers: x.req.headers,
      address: x.address,
    })
}
