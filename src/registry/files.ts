import { createHash } from 'node:crypto'
import { TacoError } from '../base/errors.ts'
import type { Ids } from '../base/ids.ts'
import type { Spool } from '../base/spool.ts'
import { type Bucket, type Taken, layerPrefix, takeIn } from '../bucket/index.ts'
import { type Content, createContents } from '../records/index.ts'

/** The module or provider that a file was uploaded for. */
export interface FileOwner {
  readonly org: string
  readonly id: string
}

/** What was uploaded for versions of modules and providers. */
export interface Files {
  /** Takes the bytes in; nothing is stored yet. Dispose of them in any case. */
  receive(upload: FileUpload, limit: { readonly name: string; readonly maxBytes: number }): Promise<Taken>
  /**
   * Stores what was taken in, then lets `enter` write it into a record. `enter` answers whether the record refers to
   * this very file now; if not, it is removed again.
   */
  keep<T>(
    owner: FileOwner,
    taken: Pick<Taken, 'body' | 'hash'>,
    enter: (content: Content) => Promise<{ readonly answer: T; readonly isKept: boolean }>,
  ): Promise<T>
  /** The bytes, checked while they are read: the stream throws at its end if they are not what was stored. */
  read(owner: FileOwner, content: Content): Promise<AsyncIterable<Uint8Array>>
  whole(owner: FileOwner, content: Content): Promise<Buffer>
  remove(owner: FileOwner, content: Content | undefined): Promise<void>
  removeAll(owner: FileOwner): Promise<void>
}

export interface FileUpload {
  readonly stream: AsyncIterable<Uint8Array>
  readonly declaredBytes?: number | undefined
}

const LAYER = 'registry'

export function createFiles(deps: {
  readonly bucket: Bucket
  readonly ids: Ids
  readonly spool: Spool
}): Files {
  const { bucket, spool } = deps
  const contents = createContents(deps, LAYER)

  async function read({ org, id }: FileOwner, content: Content): Promise<AsyncIterable<Uint8Array>> {
    const found = await contents.open(org, id, content)
    if (found.size === content.size) return checked(found.stream(), content.sha256, found.key)
    found.discard()
    throw damaged(found.key, `it has ${found.size} bytes instead of ${content.size}`)
  }

  return {
    receive: ({ stream, declaredBytes }, { name, maxBytes }) =>
      takeIn(
        stream,
        spool,
        { maxBytes, declaredBytes, tooLarge: () => tooLarge(name, maxBytes) },
        () => undefined,
      ),
    async keep({ org, id }, taken, enter) {
      const content = await contents.put(org, id, taken)
      try {
        const { answer, isKept } = await enter(content)
        if (!isKept) await contents.remove(org, id, content)
        return answer
      } catch (error) {
        // After a failure of the bucket, the record may refer to it.
        if (error instanceof TacoError && !error.code.startsWith('BUCKET_') && error.code !== 'UNEXPECTED')
          await contents.remove(org, id, content)
        throw error
      }
    },
    read,
    async whole(owner, content) {
      const parts: Uint8Array[] = []
      // Copied: a chunk is valid until the next one is requested.
      for await (const part of await read(owner, content)) parts.push(new Uint8Array(part))
      return Buffer.concat(parts)
    },
    remove: ({ org, id }, content) => contents.remove(org, id, content),
    async removeAll({ org, id }) {
      for await (const page of bucket.list(`${layerPrefix(org, LAYER)}${id}/`))
        for (const { key, tag } of page) await bucket.delete(key, tag)
    },
  }
}

async function* checked(
  stream: AsyncIterable<Uint8Array>,
  sha256: string,
  key: string,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  for await (const chunk of stream) {
    hash.update(chunk)
    yield chunk
  }
  if (hash.digest('hex') !== sha256) throw damaged(key, 'its content has changed')
}

function tooLarge(name: string, maxBytes: number): TacoError {
  return new TacoError('TOO_LARGE', `The ${name} is larger than ${maxBytes} bytes.`, {
    facts: { field: 'body', maxBytes },
  })
}

function damaged(key: string, why: string): TacoError {
  return new TacoError('BUCKET_CORRUPT', `The uploaded file ${key} is damaged: ${why}.`, {
    facts: { key },
    hint: 'Restore this object from a backup of the bucket, or publish a new version.',
  })
}
