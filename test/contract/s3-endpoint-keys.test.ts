import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { s3RootToken, startS3Face } from '../rig/s3-face.ts'
import { signedHeaders } from '../support/aws-signer.ts'
import { stateText } from '../support/state.ts'
import { type SigningKey, rootSigningKey, systemCaller } from '../../src/access/index.ts'
import { bind } from '../../src/access/organization/transitions.ts'

const Bucket = 'default'
const Key = 'app/terraform.tfstate'
const root = rootSigningKey(s3RootToken)
const setUp = systemCaller('opentaco')
const refused = (name: string, status = 403) =>
  expect.objectContaining({ name, $metadata: expect.objectContaining({ httpStatusCode: status }) })

const list = new ListObjectsV2Command({ Bucket })

async function startSso() {
  const face = await startS3Face('sso')
  const { signIn, orgAccess } = face.deps
  if (signIn === undefined) throw new Error('people cannot sign in')
  const { id: user } = await signIn.people.signIn(
    { provider: 'hub', subject: 'alice', login: 'alice', groups: [] },
    setUp,
  )
  const grant = (role: string) =>
    orgAccess.change(
      'default',
      { type: 'role.granted', data: {}, transition: (all) => bind(all, { role, to: `user:${user}` }) },
      setUp,
    )
  const owner = { kind: 'personal', user } as const
  const { token, text } = await signIn.tokens.create({ name: 't', owner }, setUp)
  const asked = await face.send('/v1/s3-keys', {
    method: 'POST',
    headers: { authorization: `Bearer ${text}`, 'content-type': 'application/json' },
  })
  const keys = asked.json() as unknown as SigningKey
  return { ...face, signIn, user, grant, token, keys, s3: face.client(keys) }
}

test('the keys of a token have its rights, and end with it', async () => {
  const { keys, s3, grant, signIn, token, user, deps } = await startSso()
  expect(keys).toEqual({
    accessKeyId: `${token.id}.k1`,
    secretAccessKey: expect.stringMatching(/^taco_s3_[\w-]{43}$/),
  })
  await expect(s3.send(list)).rejects.toEqual(refused('NoSuchBucket', 404))
  await grant('operator')
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: stateText(1) }))
  const written = await deps.control.versions.get({ org: 'default', unit: 'app' }, 'current', setUp)
  expect(written.by).toBe('user:alice')

  await signIn.tokens.revoke(token.id, { user }, setUp)

  await expect(s3.send(list)).rejects.toThrow(/was revoked/)
})

test('a narrowed token makes narrowed keys', async () => {
  const { signIn, client, user, grant } = await startSso()
  await grant('operator')
  const owner = { kind: 'personal', user } as const
  const scope = { actions: ['state:read'], units: ['dev/**'] }
  const { token } = await signIn.tokens.create({ name: 'narrow', owner, scope }, setUp)
  const narrow = client(signIn.tokens.signingKey(token.id))
  const all = client()
  for (const key of ['dev/a/terraform.tfstate', Key])
    await all.send(new PutObjectCommand({ Bucket, Key: key, Body: stateText(1) }))

  await narrow.send(new GetObjectCommand({ Bucket, Key: 'dev/a/terraform.tfstate' }))
  await expect(narrow.send(new GetObjectCommand({ Bucket, Key }))).rejects.toEqual(refused('AccessDenied'))
  await expect(
    narrow.send(new PutObjectCommand({ Bucket, Key: 'dev/a/terraform.tfstate', Body: stateText(2) })),
  ).rejects.toEqual(refused('AccessDenied'))
})

test.each(['token', 'sso'] as const)('%s: the root token has keys too', async (auth) => {
  const face = await startS3Face(auth)
  const headers = { authorization: `Bearer ${s3RootToken}`, 'content-type': 'application/json' }
  if (auth === 'sso')
    expect((await face.send('/v1/s3-keys', { method: 'POST', headers })).json()).toEqual(root)

  await expect(face.client().send(list)).resolves.toMatchObject({ KeyCount: 0 })
})

test.each<[string, SigningKey]>([
  ['a wrong secret', { ...root, secretAccessKey: 'taco_s3_wrong' }],
  ['another key', { ...root, accessKeyId: 'at-0123456789abcdef.k1' }],
  ['a key of another server', { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'x' }],
])('%s is refused', async (_, key) => {
  const face = await startS3Face('token')

  await expect(face.client(key).send(list)).rejects.toEqual(refused('SignatureDoesNotMatch'))
})

test('wrong keys of the root token are counted, and at last not looked at', async () => {
  const face = await startS3Face('token')
  const wrong = face.client({ ...root, secretAccessKey: 'taco_s3_wrong' })

  let last: unknown
  for (let i = 0; i < 50 && !String(last).includes('too many'); i++)
    last = await wrong.send(list).catch((error: unknown) => error)

  expect(last).toEqual(refused('SlowDown', 503))
  await expect(face.client().send(list)).rejects.toEqual(refused('SlowDown', 503))
})

test('without a signature, nothing is answered', async () => {
  const face = await startS3Face('token')

  const answer = await face.send('/s3/default?list-type=2')

  expect(answer.status).toBe(403)
  expect(answer.headers['content-type']).toBe('application/xml')
  expect(answer.text).toMatch(
    /^<\?xml .*\n<Error><Code>AccessDenied<\/Code><Message>.+<\/Message><Resource>\/default<\/Resource><RequestId>req-.+<\/RequestId><\/Error>$/,
  )
})

test.each<[string, object, string]>([
  ['a body that was changed on the way', { body: stateText(2) }, 'XAmzContentSHA256Mismatch'],
  ['a signature for another key', { path: '/s3/default/other/terraform.tfstate' }, 'SignatureDoesNotMatch'],
  ['a signature for another organization', { path: `/s3/other/${Key}` }, 'SignatureDoesNotMatch'],
  ['a signature for another method', { method: 'DELETE' }, 'SignatureDoesNotMatch'],
])('%s is refused', async (_, changed, code) => {
  const face = await startS3Face('token')
  const host = `127.0.0.1:${face.port}`
  const request = { method: 'PUT', path: `/s3/default/${Key}`, body: stateText(1) }
  const headers = await signedHeaders(root, { ...request, host })
  const { path, ...sent } = { ...request, ...changed }

  const answer = await face.send(path, { ...sent, headers })

  expect(answer.text).toContain(`<Code>${code}</Code>`)
  expect((await face.send(request.path, { ...request, headers })).status).toBe(200)
})
