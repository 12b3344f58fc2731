import { X509Certificate } from 'node:crypto'
import { readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../test/rig/temp.ts'
import { localCertificate } from './local-certificate.ts'

const DAY = 86_400_000
const now = Date.now()

async function start() {
  const folder = join(await tempFolder(), 'data', 'tls')
  return {
    folder,
    async issue(names: readonly string[] = [], at = now) {
      const file = await localCertificate({ folder, names }, at)
      const [pem, authority] = await Promise.all([
        readFile(file, 'utf8'),
        readFile(join(folder, 'ca.crt'), 'utf8'),
      ])
      return { file, pem, certificate: new X509Certificate(pem), authority: new X509Certificate(authority) }
    },
  }
}

test('a certificate for this machine and the given names is issued by a new authority', async () => {
  const { issue } = await start()

  const { certificate, authority } = await issue(['taco.test', '*.example.test', '10.0.0.5', 'fd00::1'])

  expect(certificate.checkIssued(authority) && certificate.verify(authority.publicKey)).toBe(true)
  for (const name of ['localhost', 'taco.test', 'a.example.test'])
    expect(certificate.checkHost(name)).toBeDefined()
  for (const name of ['127.0.0.1', '::1', '10.0.0.5', 'fd00::1'])
    expect(certificate.checkIP(name)).toBeDefined()
  expect(certificate.checkHost('other.test')).toBeUndefined()
  expect([authority.ca, certificate.ca]).toEqual([true, false])
})

test('only their owner can read the files, and ca.crt has no key', async () => {
  const { folder, issue } = await start()
  await issue()

  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
  expect(await readFile(join(folder, 'ca.crt'), 'utf8')).not.toContain('PRIVATE KEY')
})

test('the next start uses the same authority and the same certificate', async () => {
  const { folder, issue } = await start()
  const names = ['*.example.test', '10.0.0.5', 'fd00::1']
  const first = await issue(names)

  expect((await issue(names, now + 59 * DAY)).pem).toBe(first.pem)
  const other = await issue(['other.test'])
  expect(other.authority.raw).toEqual(first.authority.raw)
  expect((await issue(names)).pem).toBe(first.pem)
  expect(await readdir(folder)).toHaveLength(4)
})

test('a certificate is renewed 30 days before it expires, by the same authority', async () => {
  const { issue } = await start()
  const first = await issue()

  const later = await issue([], now + 61 * DAY)

  expect(later.file).toBe(first.file)
  expect(Date.parse(later.certificate.validTo)).toBeGreaterThan(now + 150 * DAY)
  expect(later.authority.raw).toEqual(first.authority.raw)
})

test('an authority that is about to expire is replaced, and so is what it issued', async () => {
  const { issue } = await start()
  const first = await issue()

  const later = await issue([], now + 3640 * DAY)

  expect(later.authority.raw).not.toEqual(first.authority.raw)
  expect(later.certificate.verify(later.authority.publicKey)).toBe(true)
})

test('servers that start at the same time share one authority', async () => {
  const { issue } = await start()

  const all = await Promise.all(Array.from({ length: 5 }, (_, i) => issue([`n${i}.test`])))

  const { authority } = await issue()
  expect(all.every(({ certificate }) => certificate.verify(authority.publicKey))).toBe(true)
})

test('a damaged certificate is replaced; a damaged authority is not', async () => {
  const { folder, issue } = await start()
  const first = await issue()
  await writeFile(first.file, 'nonsense')
  expect((await issue()).certificate.verify(first.authority.publicKey)).toBe(true)

  await writeFile(join(folder, 'ca.pem'), 'nonsense')

  await expect(issue()).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining('ca.pem is damaged'),
    hint: expect.stringContaining('Delete the file.'),
  })
})

test('a folder that cannot be made is refused with its name', async () => {
  const file = join(await tempFolder(), 'file')
  await writeFile(file, '')

  await expect(localCertificate({ folder: join(file, 'tls'), names: [] }, now)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining(file),
  })
})
