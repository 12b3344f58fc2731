import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { startS3Face } from '../rig/s3-face.ts'
import { alice, stateText } from '../support/state.ts'

const Bucket = 'default'
const Key = 'prod/network/terraform.tfstate'
const LockKey = `${Key}.tflock`

const lockText = (ID: string) =>
  JSON.stringify({
    ID,
    Operation: 'OperationTypeApply',
    Who: 'alice@laptop',
    Created: '2026-01-02T03:04:05Z',
  })

async function put(s3: S3Client, text: string, more: object = {}, key = Key) {
  return s3.send(new PutObjectCommand({ Bucket, Key: key, Body: text, ...more }))
}
async function lock(s3: S3Client, id: string, key = LockKey) {
  return put(s3, lockText(id), { IfNoneMatch: '*' }, key)
}
async function read(s3: S3Client, key = Key) {
  const { Body, ETag } = await s3.send(new GetObjectCommand({ Bucket, Key: key }))
  return { text: await Body?.transformToString(), etag: ETag }
}
const refused = (name: string, status: number) =>
  expect.objectContaining({ name, $metadata: expect.objectContaining({ httpStatusCode: status }) })

test('the whole life of an apply, byte for byte', async () => {
  const face = await startS3Face()
  const s3 = face.client()

  await expect(s3.send(new HeadObjectCommand({ Bucket, Key }))).rejects.toEqual(refused('NotFound', 404))
  await lock(s3, 'one')
  const written = await put(s3, stateText(1))
  expect(await read(s3)).toEqual({ text: stateText(1), etag: written.ETag })
  const head = await s3.send(new HeadObjectCommand({ Bucket, Key }))
  expect(head).toMatchObject({ ContentLength: stateText(1).length, ETag: written.ETag })
  const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket }))
  expect(Contents).toEqual([expect.objectContaining({ Key, ETag: written.ETag, Size: stateText(1).length })])
  await s3.send(new DeleteObjectCommand({ Bucket, Key: LockKey }))

  const { json } = await face.send('/v1/units/prod--network')
  expect(json()).toMatchObject({ name: 'prod/network', key: Key, lock: null, state: { serial: 1 } })
})

test('a held lock is 412, and the object is the lock info of its holder', async () => {
  const s3 = (await startS3Face()).client()
  await lock(s3, 'one')
  await lock(s3, 'one')

  await expect(lock(s3, 'two')).rejects.toEqual(refused('PreconditionFailed', 412))
  expect(JSON.parse((await read(s3, LockKey)).text ?? '')).toMatchObject({ ID: 'one', Who: 'alice@laptop' })
  for (let i = 0; i < 2; i++) await s3.send(new DeleteObjectCommand({ Bucket, Key: LockKey }))
  await expect(read(s3, LockKey)).rejects.toEqual(refused('NoSuchKey', 404))
  await lock(s3, 'two')
})

test('a lock of another door is no lock of S3 clients, and can be broken', async () => {
  const face = await startS3Face()
  const s3 = face.client()
  await put(s3, stateText(1))
  await face.send('/v1/backend/default/prod/network', { method: 'LOCK', body: lockText('http') })

  await expect(put(s3, stateText(2))).rejects.toEqual(refused('OperationAborted', 409))
  await expect(lock(s3, 'two')).rejects.toEqual(refused('PreconditionFailed', 412))
  expect((await read(s3)).text).toBe(stateText(1))
  await s3.send(new DeleteObjectCommand({ Bucket, Key: LockKey }))
  await put(s3, stateText(2))
})

test.each([
  ['an older serial', stateText(1), 'OperationAborted', 409],
  ['another lineage', stateText(3, 'x', 'other'), 'OperationAborted', 409],
  ['what is not a state', 'hello', 'InvalidRequest', 400],
])('%s is refused, and nothing is written', async (_, text, name, status) => {
  const s3 = (await startS3Face()).client()
  await put(s3, stateText(2))

  await expect(put(s3, text)).rejects.toEqual(refused(name, status))

  expect((await read(s3)).text).toBe(stateText(2))
})

test('conditions of writes hold', async () => {
  const s3 = (await startS3Face()).client()
  await expect(put(s3, stateText(1), { IfMatch: '"x"' })).rejects.toEqual(refused('PreconditionFailed', 412))
  const first = await put(s3, stateText(1), { IfNoneMatch: '*' })

  await expect(put(s3, stateText(2), { IfNoneMatch: '*' })).rejects.toEqual(
    refused('PreconditionFailed', 412),
  )
  await put(s3, stateText(2), { IfMatch: first.ETag })
  await expect(put(s3, stateText(3), { IfMatch: first.ETag })).rejects.toEqual(
    refused('PreconditionFailed', 412),
  )
})

test('workspaces are units of their own, listed by their prefix', async () => {
  const face = await startS3Face()
  const s3 = face.client()
  const keys = [Key, `env:/dev/${Key}`, `env:/stage/${Key}`, 'prod/network/dev/terraform.tfstate']
  for (const key of keys) await put(s3, stateText(1), {}, key)

  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'env:/' }))
  expect(Contents.map((one) => one.Key)).toEqual([`env:/dev/${Key}`, `env:/stage/${Key}`])
  const { items } = (await face.send('/v1/units')).json() as { items: { name: string; key: string }[] }
  expect(items.map(({ name, key }) => `${name} ${key}`)).toEqual([
    `prod/network ${Key}`,
    `prod/network/dev env:/dev/${Key}`,
    expect.stringMatching(/^prod\/network\/dev-[0-9a-f]{8} prod\/network\/dev\/terraform.tfstate$/),
    `prod/network/stage env:/stage/${Key}`,
  ])
  await s3.send(new DeleteObjectCommand({ Bucket, Key: `env:/dev/${Key}` }))
  const left = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'env:/' }))
  expect(left.KeyCount).toBe(1)
})

async function begin(s3: S3Client, key = Key) {
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: key }))
  const at = { Bucket, Key: key, UploadId }
  return {
    at,
    async part(PartNumber: number, Body: string) {
      const { ETag } = await s3.send(new UploadPartCommand({ ...at, PartNumber, Body }))
      return { PartNumber, ETag }
    },
    finish: (Parts: { PartNumber: number; ETag: string | undefined }[]) =>
      s3.send(new CompleteMultipartUploadCommand({ ...at, MultipartUpload: { Parts } })),
  }
}

test('a state that comes in parts, in any order and some of them twice, is written once', async () => {
  const face = await startS3Face()
  const s3 = face.client()
  const text = stateText(1, 'x'.repeat(100_000))
  const upload = await begin(s3)
  const end = await upload.part(2, text.slice(50_000))
  await upload.part(1, 'something else')
  const start = await upload.part(1, text.slice(0, 50_000))

  const done = await upload.finish([start, end])

  expect(await read(s3)).toEqual({ text, etag: done.ETag })
  expect((await upload.finish([start, end])).ETag).toBe(done.ETag)
  await expect(upload.finish([end, start])).rejects.toEqual(refused('InvalidPart', 400))
  const { items } = (await face.send('/v1/units/prod--network/versions')).json() as { items: unknown[] }
  expect(items).toHaveLength(1)
})

test('parts that are missing, another key and an upload that was given up are refused', async () => {
  const s3 = (await startS3Face()).client()
  const upload = await begin(s3)
  const part = await upload.part(1, stateText(1))

  await expect(upload.finish([{ ...part, PartNumber: 2 }])).rejects.toThrow(/Part 2 .* is missing/)
  await expect(
    s3.send(
      new CompleteMultipartUploadCommand({
        ...upload.at,
        Key: 'other/terraform.tfstate',
        MultipartUpload: { Parts: [part] },
      }),
    ),
  ).rejects.toEqual(refused('NoSuchUpload', 404))
  await s3.send(new AbortMultipartUploadCommand(upload.at))
  await expect(upload.finish([part])).rejects.toEqual(refused('NoSuchUpload', 404))
  await expect(read(s3)).rejects.toEqual(refused('NoSuchKey', 404))
})

test('parts of a state have the checks of a whole one', async () => {
  const s3 = (await startS3Face()).client()
  await put(s3, stateText(2))
  const upload = await begin(s3)
  const older = await upload.part(1, stateText(1))

  await expect(upload.finish([older])).rejects.toEqual(refused('OperationAborted', 409))
  expect((await read(s3)).text).toBe(stateText(2))
})

test('what was begun in an organization that is deleted can be finished, and nothing begins there', async () => {
  const face = await startS3Face()
  const s3 = face.client()
  const { orgs } = face.deps.control
  await orgs.create({ name: 'acme' }, alice)
  const at = { Bucket: 'acme', Key }
  const lockAt = { Bucket: 'acme', Key: LockKey }
  await s3.send(new PutObjectCommand({ ...lockAt, Body: lockText('one'), IfNoneMatch: '*' }))
  await orgs.remove('acme', { force: true }, alice)

  await s3.send(new PutObjectCommand({ ...at, Body: stateText(1) }))
  await s3.send(new GetObjectCommand(lockAt))
  await s3.send(new DeleteObjectCommand(lockAt))
  for (const command of [new PutObjectCommand({ ...at, Body: stateText(2) }), new GetObjectCommand(at)])
    await expect(s3.send(command as PutObjectCommand)).rejects.toThrow(/was deleted/)
  await orgs.restore('acme', alice)
  const { Body } = await s3.send(new GetObjectCommand(at))
  expect(await Body?.transformToString()).toBe(stateText(1))
})
