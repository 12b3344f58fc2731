import { createHash } from 'node:crypto'
import { request } from 'node:https'
import { readFile } from 'node:fs/promises'
import type { SigningKey } from '../support/open-pgp.ts'
import { zipOf } from '../support/archives.ts'

interface Reply {
  readonly status: number
  readonly text: string
}

/** Calls the API of a server over TLS, as publishing scripts do. */
export async function apiClient(url: string, caFile: string, token?: string) {
  const ca = await readFile(caFile)
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }

  function send(method: string, target: string, body?: string | Buffer): Promise<Reply> {
    const address = new URL(target, url)
    // What is signed carries its own permission.
    const credential = address.pathname.startsWith('/api/registry/uploads/') ? {} : authorization
    const headers = { 'content-type': 'application/vnd.api+json', ...credential }
    return new Promise((resolve, reject) => {
      const call = request(address, { method, headers, ca, agent: false }, (reply) => {
        const parts: Buffer[] = []
        reply.on('data', (part: Buffer) => parts.push(part))
        reply.on('error', reject)
        reply.on('end', () =>
          resolve({ status: reply.statusCode ?? 0, text: Buffer.concat(parts).toString() }),
        )
      })
      call.on('error', reject)
      call.end(body)
    })
  }

  async function must(method: string, target: string, body?: string | Buffer): Promise<string> {
    const { status, text } = await send(method, target, body)
    if (status > 299) throw new Error(`${method} ${target}: ${status} ${text}`)
    return text
  }

  async function create(target: string, type: string, attributes: object): Promise<Record<string, string>> {
    const text = await must('POST', target, JSON.stringify({ data: { type, attributes } }))
    return (JSON.parse(text) as { data: { links: Record<string, string> } }).data.links
  }
  return { send, must, create }
}

export type ApiClient = Awaited<ReturnType<typeof apiClient>>

export async function publishModule(
  api: ApiClient,
  { name, version, archive }: { readonly name: string; readonly version: string; readonly archive: Buffer },
): Promise<void> {
  const modules = '/api/v2/organizations/default/registry-modules'
  await api
    .create(modules, 'registry-modules', { name, provider: 'null', 'registry-name': 'private' })
    .catch(() => {})
  const links = await api.create(
    `/api/v2/registry-modules/default/${name}/null/versions`,
    'registry-module-versions',
    {
      version,
    },
  )
  await api.must('PUT', links['upload'] ?? '', archive)
}

/** A provider that can be installed, and no more than that. */
export async function publishProvider(
  api: ApiClient,
  { name, version, key }: { readonly name: string; readonly version: string; readonly key: SigningKey },
  tamper: (sums: Buffer) => Buffer = (sums) => sums,
): Promise<void> {
  const providers = '/api/v2/organizations/default/registry-providers'
  const versions = `${providers}/private/default/${name}/versions`
  await api
    .create('/api/registry/private/v2/gpg-keys', 'gpg-keys', {
      namespace: 'default',
      'ascii-armor': key.asciiArmor,
    })
    .catch(() => {})
  await api.create(providers, 'registry-providers', {
    name,
    namespace: 'default',
    'registry-name': 'private',
  })
  const made = await api.create(versions, 'registry-provider-versions', {
    version,
    'key-id': key.keyId,
    protocols: ['5.0'],
  })
  const filename = `terraform-provider-${name}_${version}_linux_amd64.zip`
  const zip = zipOf(`terraform-provider-${name}_v${version}`, '#!/bin/sh\nexit 1\n')
  const shasum = createHash('sha256').update(zip).digest('hex')
  const sums = Buffer.from(`${shasum}  ${filename}\n`)
  await api.must('PUT', made['shasums-upload'] ?? '', sums)
  await api.must('PUT', made['shasums-sig-upload'] ?? '', key.sign(tamper(sums)))
  const platform = await api.create(`${versions}/${version}/platforms`, 'registry-provider-platforms', {
    os: 'linux',
    arch: 'amd64',
    shasum,
    filename,
  })
  await api.must('PUT', platform['provider-binary-upload'] ?? '', zip)
}
