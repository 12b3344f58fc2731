import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { certificateFor } from '../../../test/rig/certificate.ts'
import { tempFolder } from '../../../test/rig/temp.ts'
import { readCertificate } from './certificate-files.ts'

const until = new Date(Math.floor(Date.now() / 1000) * 1000 + 86_400_000)
const one = certificateFor(['taco.test', '127.0.0.1'], new Date(0), until)
const other = certificateFor(['other.test'], new Date(0), until)
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const locked = privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })

async function read(cert: string, key: string) {
  const folder = await tempFolder()
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  await writeFile(files.cert, cert)
  await writeFile(files.key, key)
  return readCertificate(files)
}

test('a certificate, its chain and its key are read, also from one file', async () => {
  const expected = { expiresAt: until.getTime(), names: 'taco.test, 127.0.0.1' }

  expect(await read(one.cert + other.cert, one.key)).toMatchObject(expected)
  const both = one.key + one.cert
  expect(await read(both, both)).toMatchObject(expected)
})

test.each([
  ['a key of another certificate', one.cert, other.key, /key\.pem does not belong to the first certificate/],
  ['a chain in the wrong order', other.cert + one.cert, one.key, /does not belong to the first certificate/],
  ['no certificate', one.key, one.key, /^There is no certificate in .*cert\.pem\.$/],
  ['a certificate that is cut off', one.cert.slice(0, 300), one.key, /is damaged: it ends in the middle/],
  ['a chain that is cut off', one.cert + other.cert.slice(0, 300), one.key, /is damaged/],
  ['a certificate of nonsense', one.cert.replace('MI', 'XX'), one.key, /is damaged/],
  ['no key', one.cert, one.cert, /^There is no private key in .*key\.pem\.$/],
  ['a locked key', one.cert, String(locked), /key\.pem is protected by a passphrase\.$/],
])('refused: %s', async (_, cert, key, message) => {
  await expect(read(cert, key)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringMatching(message),
    hint: expect.any(String),
  })
})

test('a file that cannot be read is named, with its option', async () => {
  const folder = await tempFolder()
  const files = { cert: join(folder, 'missing.pem'), key: join(folder, 'missing.key') }

  await expect(readCertificate(files)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining('missing.pem'),
    hint: expect.stringContaining('--tls-cert'),
  })
})
