import { z } from 'zod'
import type { MirroredProvider, ProviderMirror } from '../../../../registry/index.ts'
import { writeHead } from '../../kit/response/respond.ts'
import { sendChunks } from '../../kit/response/send-bytes.ts'
import { type TfcServices, baseUrl, ofServer, rawRoute, route } from '../kit/define.ts'
import { notFound } from '../kit/errors.ts'
import { openSignedPart, signedPart } from '../kit/signed-urls.ts'
import { described, protocol } from './protocol.ts'

/** The provider network mirror protocol: https://developer.hashicorp.com/terraform/internals/provider-network-mirror-protocol */
const VALID_MS = 3_600_000
const USE = 'mirror download'

const Archive = z.object({
  host: z.string(),
  namespace: z.string(),
  type: z.string(),
  version: z.string(),
  archive: z.object({ os: z.string(), arch: z.string(), filename: z.string(), sha256: z.string() }),
})

const common = { tags: protocol.tags, errors: protocol.errors, target: ofServer } as const

export const mirrorRoutes = [
  route({
    ...common,
    method: 'GET',
    path: '/mirror/providers/{host}/{namespace}/{type}/{file}',
    id: 'readProviderMirror',
    // Open to every user of the server: the mirror holds nothing of any organization.
    action: 'server:read',
    summary: 'The versions of a mirrored provider (index.json), or the archives of one (<version>.json)',
    params: z.object({ host: z.string(), namespace: z.string(), type: z.string(), file: z.string() }),
    answers: { 200: described('As the provider network mirror protocol defines it') },
    async handle({ params: { file, ...provider }, x }, services) {
      const mirror = mirrorOf(services)
      const [, name] = /^(.+)\.json$/.exec(file) ?? []
      if (name === undefined) throw notFound()
      const json =
        name === 'index'
          ? { versions: Object.fromEntries((await mirror.versions(provider)).map((one) => [one, {}])) }
          : { archives: await archivesOf(baseUrl(x, services), provider, name, services) }
      return { status: 200, json }
    },
  }),
  rawRoute({
    ...common,
    method: 'GET',
    path: '/mirror/archives/{part}/{name}',
    id: 'downloadMirroredArchive',
    action: 'server:read',
    // Engines fetch archives without a token.
    openness: 'everybody',
    hasSecretPath: true,
    summary: 'Fetch an archive of a mirrored provider, by a signed address',
    params: z.object({ part: z.string(), name: z.string() }),
    answers: { 200: { description: 'The archive' } },
    async handle({ x, params }, services) {
      const mirror = mirrorOf(services)
      const { version, archive, ...provider } = Archive.parse(openSignedPart(services, USE, params.part))
      const found = await mirror.read(provider, version, archive)
      const head = () =>
        writeHead(x, 200, { 'content-type': 'application/zip', 'content-length': found.size })
      if (x.method === 'HEAD') {
        await found.dispose()
        head()
      } else await sendChunks(x, found.stream(), head)
      x.res.end()
    },
  }),
]

function mirrorOf({ mirror }: TfcServices): ProviderMirror {
  if (mirror === undefined) throw notFound()
  return mirror
}

async function archivesOf(
  base: string,
  provider: MirroredProvider,
  version: string,
  services: TfcServices,
): Promise<Record<string, unknown>> {
  const { signer, clock } = services
  const archives = await mirrorOf(services).archives(provider, version)
  return Object.fromEntries(
    archives.map((archive) => {
      const content = { ...provider, version, archive }
      const part = signedPart(signer, USE, content, clock.now() + VALID_MS)
      const url = `${base}/mirror/archives/${part}/${encodeURIComponent(archive.filename)}`
      return [`${archive.os}_${archive.arch}`, { url, hashes: [`zh:${archive.sha256}`] }]
    }),
  )
}
