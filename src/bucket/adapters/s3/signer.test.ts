import fc from 'fast-check'
import { expect, test } from 'vitest'
import { awsSigner } from '../../../../test/support/aws-signer.ts'
import { createSigner, EMPTY_HASH, escapePath, queryString } from './signer.ts'

const segment = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 20 })
  .filter((text) => !['.', '..'].includes(text))
const value = fc.string({ minLength: 1, maxLength: 30 }).map((text) => `v${text}`)
const word = fc.stringMatching(/^[A-Za-z0-9/+]{16,40}$/)

test('signatures are those of the AWS SDK', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        method: fc.constantFrom('GET', 'HEAD', 'PUT', 'DELETE'),
        key: fc
          .array(segment, { minLength: 1, maxLength: 5 })
          .map((segments) => segments.join('/').replaceAll('//', '/x/')),
        query: fc.dictionary(
          fc.stringMatching(/^[a-z-]{1,12}$/),
          fc.string({ unit: 'binary', maxLength: 20 }),
          { maxKeys: 4 },
        ),
        headers: fc.dictionary(fc.stringMatching(/^x-amz-meta-[a-z]{1,8}$/), value, { maxKeys: 4 }),
        now: fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
        region: fc.constantFrom('us-east-1', 'eu-central-1', 'auto'),
        accessKeyId: word,
        secretAccessKey: word,
        sessionToken: fc.option(word, { nil: undefined }),
      }),
      async ({ method, key, query, headers, now, region, accessKeyId, secretAccessKey, sessionToken }) => {
        const path = `/${escapePath(key)}`
        const all = { ...headers, host: 'bucket.s3.example.com', 'if-match': '"abc"', range: 'bytes=0-9' }
        const session = sessionToken === undefined ? {} : { sessionToken }
        const oracle = awsSigner({ accessKeyId, secretAccessKey, ...session }, region)

        const expected = await oracle.sign(
          {
            method,
            protocol: 'https:',
            hostname: 'bucket.s3.example.com',
            path,
            query,
            headers: { ...all, 'x-amz-content-sha256': EMPTY_HASH },
          },
          { signingDate: now },
        )
        const signed = createSigner(region)(
          { method, path, query: queryString(query), headers: all, payloadHash: EMPTY_HASH },
          { accessKeyId, secretAccessKey, sessionToken },
          now.getTime(),
        )

        expect(signed['authorization']).toBe(expected.headers['authorization'])
        expect(signed['x-amz-date']).toBe(expected.headers['x-amz-date'])
        expect(signed['x-amz-security-token']).toBe(expected.headers['x-amz-security-token'])
      },
    ),
    { numRuns: 300 },
  )
})

test('one signer follows days and keys', () => {
  const sign = createSigner('us-east-1')
  const request = { method: 'GET', path: '/a', query: '', headers: { host: 'h' }, payloadHash: EMPTY_HASH }
  const at = (secretAccessKey: string, day: string) =>
    sign(request, { accessKeyId: 'id', secretAccessKey }, Date.parse(day))['authorization']
  const fresh = (secretAccessKey: string, day: string) =>
    createSigner('us-east-1')(request, { accessKeyId: 'id', secretAccessKey }, Date.parse(day))[
      'authorization'
    ]

  for (const [secret, day] of [
    ['one', '2026-01-01T00:00:00Z'],
    ['one', '2026-01-02T00:00:00Z'],
    ['two', '2026-01-02T00:00:00Z'],
    ['one', '2026-01-01T00:00:00Z'],
  ] as const) {
    expect(at(secret, day)).toBe(fresh(secret, day))
  }
})
