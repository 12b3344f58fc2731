import { z } from 'zod'
import { principalText } from '../../../../access/index.ts'
import { TacoError } from '../../../../base/errors.ts'
import type { Caller } from '../../../../state/index.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { declaredBytes, received } from '../../kit/request/receive.ts'
import { send, writeHead } from '../../kit/response/respond.ts'
import { sendChunks } from '../../kit/response/send-bytes.ts'
import { type TfcServices, baseUrl, ofServer, rawRoute } from '../kit/define.ts'
import { openSignedPart, signedPart } from '../kit/signed-urls.ts'
import { protocol } from './protocol.ts'

/** Engines fetch archives, and clients send them, without a token: the address carries the permission. */
const VALID_MS = 3_600_000

const File = z.object({ object: z.string(), sha256: z.string(), size: z.number() })
const Download = z.object({
  org: z.string(),
  kind: z.enum(['module', 'provider']),
  /** The id of the module or provider. */
  owner: z.string(),
  file: File,
})
export type Download = z.infer<typeof Download>

const upload = { org: z.string(), owner: z.string(), version: z.string(), by: z.string() }
const Upload = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('module'), ...upload }),
  z.object({ kind: z.enum(['shasums', 'signature']), ...upload }),
  z.object({ kind: z.literal('package'), platform: z.string(), ...upload }),
])
type Upload = z.infer<typeof Upload>
type Without<T, K extends string> = T extends unknown ? Omit<T, K> : never
type UploadOf = Without<Upload, 'by'>

type UrlServices = Pick<TfcServices, 'signer' | 'clock' | 'publicUrl'>

/** Where a file can be fetched from for an hour. `name` says what it is: go-getter goes by its ending. */
export function downloadUrl(x: Exchange, services: UrlServices, file: Download, name: string): string {
  const { signer, clock } = services
  const part = signedPart(signer, 'registry download', file, clock.now() + VALID_MS)
  return `${baseUrl(x, services)}/api/registry/downloads/${part}/${encodeURIComponent(name)}`
}

/** Where a file can be sent to for an hour, on behalf of the caller. */
export function uploadUrl(x: Exchange, services: UrlServices, to: UploadOf): string {
  const { signer, clock } = services
  const content = { ...to, by: principalText(x.principal) }
  const part = signedPart(signer, 'registry upload', content, clock.now() + VALID_MS)
  return `${baseUrl(x, services)}/api/registry/uploads/${part}`
}

const signed = {
  openness: 'everybody',
  hasSecretPath: true,
  tags: protocol.tags,
  errors: protocol.errors,
  target: ofServer,
} as const

export const archiveRoutes = [
  rawRoute({
    ...signed,
    method: 'GET',
    path: '/api/registry/downloads/{part}/{name}',
    id: 'downloadRegistryFile',
    action: 'registry:read',
    summary: 'Fetch a module or a part of a provider, by a signed address',
    params: z.object({ part: z.string(), name: z.string() }),
    answers: { 200: { description: 'The file' } },
    async handle({ x, params }, services) {
      const { registry } = services
      const { org, kind, owner, file } = Download.parse(
        openSignedPart(services, 'registry download', params.part),
      )
      const chunks =
        kind === 'module'
          ? await registry.modules.read(org, owner, file)
          : await registry.providers.read(org, owner, file)
      const head = () =>
        writeHead(x, 200, { 'content-type': 'application/octet-stream', 'content-length': file.size })
      if (x.method === 'HEAD') head()
      else await sendChunks(x, chunks, head)
      x.res.end()
    },
  }),
  rawRoute({
    ...signed,
    method: 'PUT',
    path: '/api/registry/uploads/{part}',
    id: 'uploadRegistryFile',
    action: 'registry:publish',
    summary: 'Send a module or a part of a provider, to a signed address',
    params: z.object({ part: z.string() }),
    answers: { 200: { description: 'Stored' } },
    async handle({ x, params }, services) {
      const opened = Upload.safeParse(openSignedPart(services, 'registry upload', params.part))
      if (!opened.success) throw new TacoError('FORBIDDEN', 'This address is not valid.')
      await receiveFile(x, opened.data, services)
      send(x, 200, undefined, {}, services.limits)
    },
  }),
]

async function receiveFile(x: Exchange, to: Upload, { registry }: TfcServices): Promise<void> {
  // The address stands for the caller who requested it.
  const caller: Caller = { ...x.caller, claim: to.by }
  const content = { stream: received(x), declaredBytes: declaredBytes(x) }
  const at = { org: to.org, provider: to.owner, version: to.version }
  switch (to.kind) {
    case 'module':
      await registry.modules.upload(to.org, to.owner, to.version, content, caller)
      return
    case 'package':
      await registry.providers.uploadPackage({ ...at, platform: to.platform }, content, caller)
      return
    default:
      await registry.providers.uploadSums(at, to.kind, content, caller)
  }
}
