import { createHash } from 'node:crypto'
import { archiveOf, zipOf } from '../support/archives.ts'
import { createSigningKey } from '../support/open-pgp.ts'
import type { SsoFace } from './sso-face.ts'

const key = createSigningKey()
export const archive = archiveOf([{ path: 'main.tf', content: 'variable "size" {}\n' }])

/* eslint-disable-next-line @typescript-eslint/require-await -- an async generator is the interface */
export async function* chunksOf(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content
}

/** A module and a provider in the organization `default`, with one complete version each, made without the API. */
export async function publishBoth({ deps: { registry }, fresh, setUp }: SsoFace) {
  const org = 'default'
  const { modules, providers, gpgKeys } = registry
  const name = fresh('m')
  const module = await modules.create(org, { name, provider: 'null' }, setUp)
  const version = await modules.createVersion(org, module.id, { version: '1.0.0' }, setUp)
  const stream = chunksOf(archive)
  const published = await modules.upload(org, module.id, version.id, { stream }, setUp)

  await gpgKeys.get(org, key.keyId).catch(() => gpgKeys.add(org, key.asciiArmor, setUp))
  const provider = await providers.create(org, { name }, setUp)
  const filename = `terraform-provider-${name}_1.0.0_linux_amd64.zip`
  const zip = zipOf(`terraform-provider-${name}_v1.0.0`, name)
  const shasum = createHash('sha256').update(zip).digest('hex')
  const sums = Buffer.from(`${shasum}  ${filename}\n`)
  const fields = { version: '1.0.0', keyId: key.keyId, protocols: ['5.0'] }
  const { id } = await providers.createVersion(org, provider.id, fields, setUp)
  const at = { org, provider: provider.id, version: id }
  await providers.uploadSums(at, 'shasums', { stream: chunksOf(sums) }, setUp)
  await providers.uploadSums(at, 'signature', { stream: chunksOf(key.sign(sums)) }, setUp)
  const input = { os: 'linux', arch: 'amd64', shasum, filename }
  const { platforms } = await providers.addPlatform(org, provider.id, id, input, setUp)
  const [platform = { id: '' }] = platforms
  await providers.uploadPackage({ ...at, platform: platform.id }, { stream: chunksOf(zip) }, setUp)
  return { org, name, key, module, version: published, provider, zip, sums, shasum, filename }
}
