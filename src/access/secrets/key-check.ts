import type { z } from 'zod'
import type { Clock } from '../../base/clock.ts'
import { TacoError, isTacoError } from '../../base/errors.ts'
import type { Ids } from '../../base/ids.ts'
import {
  type Bucket,
  type DocumentKind,
  ROOT,
  createDocumentStore,
  documentFields,
  openObject,
} from '../../bucket/index.ts'
import type { KeyRing } from './key-ring.ts'
import { SealedText, openText } from './sealed.ts'

const KeyCheckDocument = openObject({ ...documentFields(1), sealed: SealedText })
type KeyCheckDocument = z.infer<typeof KeyCheckDocument>

const keyCheckKind: DocumentKind<KeyCheckDocument, undefined> = {
  name: 'key check',
  format: { schema: KeyCheckDocument, major: 1, minor: 0 },
  keyOf: () => `${ROOT}access/key-check.json`,
}
const CONTEXT = 'key check'
const KNOWN_TEXT = 'opentaco'

/**
 * Refuses a server that does not have the key of the bucket: the first server stores a known text, sealed, and every
 * later one must be able to open it. So a wrong key, or another key on each of two servers, is found at the start.
 */
export async function checkKeyRing(
  deps: { readonly bucket: Bucket; readonly clock: Clock; readonly ids: Ids },
  ring: KeyRing,
): Promise<void> {
  const documents = createDocumentStore(deps, keyCheckKind)
  const seal = () => ring.seal(KNOWN_TEXT, CONTEXT)
  if (
    (await documents.find(undefined)) === undefined &&
    (await documents.create(undefined, { sealed: seal() }))
  )
    return
  await documents.change(undefined, (value) => {
    refuseIfWrong(ring, value.sealed)
    if (ring.isCurrent(value.sealed)) return { value, answer: undefined }
    return { value: { ...value, sealed: seal() }, answer: undefined }
  })
}

function refuseIfWrong(ring: KeyRing, sealed: string): void {
  try {
    if (openText(ring, sealed, CONTEXT) === KNOWN_TEXT) return
  } catch (cause) {
    if (!isTacoError(cause, 'SECRET_UNREADABLE')) throw cause
  }
  const [, keyId = ''] = sealed.split('.')
  const message =
    keyId === ring.currentKeyId
      ? `The secret key ${keyId} is not the one that this bucket is used with: another key has the same id.`
      : `This bucket is used with the secret key ${keyId}, which this server does not have. Its current key is ${ring.currentKeyId}.`
  throw new TacoError('SECRET_UNREADABLE', message, {
    facts: { keyId, currentKeyId: ring.currentKeyId },
    hint: 'Give all servers over one bucket the same keys. To replace a key, keep the old one after the new one.',
  })
}
