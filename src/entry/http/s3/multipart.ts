import type { KeyedUnit } from '../../../state/index.ts'
import { defined } from '../kit/drop-undefined.ts'
import type { Exchange } from '../kit/exchange.ts'
import { tooLarge } from '../kit/request/receive.ts'
import { etagOf } from '../kit/response/etag.ts'
import { send } from '../kit/response/respond.ts'
import type { S3Services } from './define.ts'
import { chunkKeyOf } from './identify.ts'
import { payloadOf, wholePayload } from './payload.ts'
import { s3Error } from './s3-error.ts'
import { storeState } from './states.ts'
import { S3_NAMESPACE, type Xml, elementsIn, textIn, xmlDocument } from './xml.ts'

const MOST_PARTS = 10_000

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html */
export async function beginUpload(x: Exchange, target: KeyedUnit, services: S3Services): Promise<void> {
  const id = await services.control.uploads.begin(target, x.caller)
  sendXml(x, services, 'InitiateMultipartUploadResult', { ...named(x, target), UploadId: id })
}

export async function putPart(
  x: Exchange,
  target: KeyedUnit,
  services: S3Services,
  { uploadId, partNumber }: { readonly uploadId: string; readonly partNumber: string },
): Promise<void> {
  const { control, limits } = services
  const number = Number(partNumber)
  if (!/^\d{1,5}$/.test(partNumber) || number < 1 || number > MOST_PARTS)
    throw s3Error('InvalidArgument', `The number of a part is between 1 and ${MOST_PARTS}.`)
  const { bytes, declaredBytes, contentMd5 } = payloadOf(x, chunkKeyOf(x))
  const maxBytes = limits.maxStateBytes
  if (declaredBytes !== undefined && declaredBytes > maxBytes) throw tooLarge(maxBytes)
  const options = { maxBytes, ...defined({ declaredBytes, contentMd5 }) }
  const hash = await control.uploads.putPart({ ...target, id: uploadId }, number, bytes, options)
  send(x, 200, Buffer.alloc(0), { etag: etagOf(hash), 'x-amz-request-id': x.requestId }, limits)
}

/** A repeated request gets the answer of the first: the client may not have got it. */
export async function finishUpload(
  x: Exchange,
  target: KeyedUnit,
  services: S3Services,
  uploadId: string,
): Promise<void> {
  const { uploads } = services.control
  const ref = { ...target, id: uploadId }
  const body = await wholePayload(payloadOf(x, chunkKeyOf(x)), services.limits.maxJsonBytes)
  const parts = partsIn(body.toString('utf8'))
  let done = await uploads.find(ref)
  if (done === undefined) {
    const whole = { bytes: uploads.read(ref, parts), declaredBytes: undefined, contentMd5: undefined }
    done = await storeState(x, target, services, whole)
    await uploads.finish(ref, done)
  }
  sendXml(x, services, 'CompleteMultipartUploadResult', {
    Location: x.path,
    ...named(x, target),
    ETag: etagOf(done.tag),
  })
}

export async function abortUpload(
  x: Exchange,
  target: KeyedUnit,
  { control, limits }: S3Services,
  uploadId: string,
): Promise<void> {
  await control.uploads.abort({ ...target, id: uploadId })
  send(x, 204, undefined, { 'x-amz-request-id': x.requestId }, limits)
}

function partsIn(xml: string): readonly { readonly number: number; readonly hash: string }[] {
  const parts = elementsIn(xml, 'Part').map((part) => ({
    number: Number(textIn(part, 'PartNumber')),
    hash: (textIn(part, 'ETag') ?? '').replaceAll('"', ''),
  }))
  if (parts.length === 0 || parts.length > MOST_PARTS)
    throw s3Error('MalformedXML', 'The request does not list the parts of the upload.')
  for (const [i, { number, hash }] of parts.entries()) {
    if (!Number.isInteger(number) || number <= (parts[i - 1]?.number ?? 0))
      throw s3Error('InvalidPart', 'The parts are not in the order of their numbers.')
    if (!/^[0-9a-f]{64}$/.test(hash)) throw s3Error('InvalidPart', `Part ${number} has a wrong ETag.`)
  }
  return parts
}

function named(x: Exchange, { key }: KeyedUnit): Xml {
  return { Bucket: decodeURIComponent(x.path.split('/')[2] ?? ''), Key: key }
}

function sendXml(x: Exchange, { limits }: S3Services, root: string, content: Xml): void {
  const headers = { 'content-type': 'application/xml', 'x-amz-request-id': x.requestId }
  send(x, 200, Buffer.from(xmlDocument(root, content, S3_NAMESPACE)), headers, limits)
}
