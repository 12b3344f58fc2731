import { expect, test } from 'vitest'
import { zipOf } from '../../../test/support/archives.ts'
import { systemClock } from '../../base/clock.ts'
import { TacoError } from '../../base/errors.ts'
import { sha256Hex } from '../../base/sha256-hex.ts'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { createProviderMirror } from './mirror.ts'

const zip = zipOf('terraform-provider-demo_v1.0.0', 'x')
const filename = 'terraform-provider-demo_1.0.0_linux_amd64.zip'
const sha256 = sha256Hex(zip)
/** Nothing here is too large for memory. */
const spool = { create: () => Promise.reject(new Error('no room')) }
const provider = { host: 'registry.example.com', namespace: 'acme', type: 'demo' }
const archive = { os: 'linux', arch: 'amd64', filename, sha256 }

const wellKnown = 'https://registry.example.com/.well-known/terraform.json'
const base = 'https://registry.example.com/v1/providers/acme/demo'
const download = `${base}/1.0.0/download/linux/amd64`
const good: Readonly<Record<string, string | Buffer>> = {
  [wellKnown]: '{"providers.v1":"/v1/providers/"}',
  [`${base}/versions`]: JSON.stringify({
    versions: [
      { version: '1.0.0', platforms: [{ os: 'linux', arch: 'amd64' }] },
      { version: 'nonsense', platforms: [] },
    ],
  }),
  [download]: JSON.stringify({
    filename,
    shasum: sha256,
    download_url: 'https://files.example.com/demo.zip',
    shasums_url: 'https://files.example.com/sums',
  }),
  'https://files.example.com/sums': `${sha256}  ${filename}\n${'0'.repeat(64)}  other.txt\n`,
  'https://files.example.com/demo.zip': zip,
}

function open(
  changes: Readonly<Record<string, string | Buffer | undefined>> = {},
  bucket = openMemoryBucket(),
) {
  const answers: Readonly<Record<string, string | Buffer | undefined>> = { ...good, ...changes }
  const asked: string[] = []
  function answer(url: URL): Buffer {
    asked.push(url.href)
    const found = answers[url.href]
    if (found === undefined) throw new TacoError('UPSTREAM_FAILED', 'It does not answer.')
    return Buffer.from(found)
  }
  const upstream = {
    text: (url: URL) => Promise.resolve().then(() => answer(url).toString()),
    stream: (url: URL) => Promise.resolve().then(() => chunks(answer(url))),
  }
  const hosts = [provider.host]
  return {
    asked,
    bucket,
    mirror: createProviderMirror({ bucket, clock: systemClock, spool, upstream, hosts }),
  }
}

async function* chunks(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 50) {
    await Promise.resolve()
    yield bytes.subarray(at, at + 50)
  }
}

async function bytesOf(reading: ReturnType<ReturnType<typeof open>['mirror']['read']>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of (await reading).stream()) parts.push(new Uint8Array(part))
  return Buffer.concat(parts)
}

test('a provider is fetched once, and then comes from the bucket', async () => {
  const { mirror, asked, bucket } = open()
  expect(await mirror.versions(provider)).toEqual(['1.0.0'])
  expect(await mirror.archives(provider, '1.0.0')).toEqual([archive])
  const all = await Promise.all([1, 2, 3].map(() => bytesOf(mirror.read(provider, '1.0.0', archive))))
  expect(all.every((bytes) => bytes.equals(zip))).toBe(true)
  expect(asked.filter((url) => url.endsWith('demo.zip'))).toHaveLength(1)

  const nothing = Object.fromEntries(Object.keys(good).map((url) => [url, undefined]))
  const later = open(nothing, bucket).mirror
  expect(await later.versions(provider)).toEqual(['1.0.0'])
  expect(await later.archives(provider, '1.0.0')).toEqual([archive])
  expect((await bytesOf(later.read(provider, '1.0.0', archive))).equals(zip)).toBe(true)
  await expect(later.versions({ ...provider, type: 'other' })).rejects.toMatchObject({
    code: 'UPSTREAM_FAILED',
  })
})

const sums = 'https://files.example.com/sums'

test.each<readonly [string, Readonly<Record<string, string | Buffer>>]>([
  ['an archive with other bytes', { 'https://files.example.com/demo.zip': Buffer.from('evil') }],
  ['an archive that is cut off', { 'https://files.example.com/demo.zip': zip.subarray(0, 100) }],
  ['other checksums', { [sums]: `${'1'.repeat(64)}  ${filename}\n` }],
  ['checksums of other files', { [sums]: `${sha256}  another.zip\n` }],
  ['no checksums', { [sums]: '' }],
  ['a page instead of checksums', { [sums]: '<html>' }],
  ['a page instead of a package', { [download]: '<html>' }],
  ['a package without an address', { [download]: JSON.stringify({ filename, shasum: sha256 }) }],
  ['discovery of nothing', { [wellKnown]: '{}' }],
])('%s is never handed out', async (_, changes) => {
  const { mirror, bucket } = open(changes)
  const reading = async () => {
    const [found] = await mirror.archives(provider, '1.0.0')
    return bytesOf(mirror.read(provider, '1.0.0', found ?? archive))
  }
  await expect(reading()).rejects.toMatchObject({ code: 'UPSTREAM_FAILED' })
  for await (const page of bucket.list('.taco/mirror/'))
    expect(page.filter(({ key }) => key.endsWith('.zip'))).toEqual([])
})

test('registries that are not mirrored, and names that are none, are not asked for', async () => {
  const { mirror, asked } = open()
  for (const wrong of [
    { ...provider, host: 'localhost' },
    { ...provider, host: '169.254.169.254' },
    { ...provider, host: 'registry.example.com:8443' },
    { ...provider, namespace: '..' },
    { ...provider, type: 'a/b' },
    { ...provider, type: '' },
  ])
    await expect(mirror.versions(wrong)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  for (const version of ['../../x', 'latest', '1.0', ''])
    await expect(mirror.archives(provider, version)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(mirror.archives(provider, '9.9.9')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(asked.filter((url) => url.includes('download'))).toEqual([])
})

test('a stored archive that was changed breaks off', async () => {
  const { mirror, bucket } = open()
  await bytesOf(mirror.read(provider, '1.0.0', archive))
  const key = `.taco/mirror/registry.example.com/acme/demo/1.0.0/${sha256}.zip`
  const tag = (await bucket.head(key))?.tag
  if (tag === undefined) throw new Error('nothing was stored')
  const other = Buffer.from(zip)
  other[5] = 1
  await bucket.put(key, { size: other.length, bytes: other, stream: () => chunks(other) }, tag)
  await expect(bytesOf(mirror.read(provider, '1.0.0', archive))).rejects.toMatchObject({
    code: 'BUCKET_CORRUPT',
  })
})
