import { z } from 'zod'
import { type ModuleVersion, type ProviderVersion, publishedAt } from '../../../../registry/index.ts'
import { isoTime } from '../../../../base/clock.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { declaredBytes, received } from '../../kit/request/receive.ts'
import type { V1Services } from '../define.ts'
import { freeing } from '../../kit/freeing.ts'

export const tags = ['registry']
export const ofNamed = ({ params }: { readonly params: { readonly org: string } }) => ({ org: params.org })

export const ModuleParams = z.object({
  org: z.string(),
  name: z.string().meta({ example: 'network' }),
  provider: z.string().meta({ example: 'aws' }),
})
export const VersionParams = ModuleParams.extend({ version: z.string().meta({ example: '1.2.0' }) })

const Published = {
  version: z.string(),
  isComplete: z.boolean().meta({ description: 'Engines can install it.' }),
  createdAt: z.iso.datetime(),
  createdBy: z.string(),
}

export const RegistryModuleVersion = z
  .object({
    ...Published,
    publishedAt: z.iso.datetime().nullable().meta({ description: 'When its archive came.' }),
    sha256: z.string().nullable().meta({ description: 'Of the archive.' }),
    size: z.number().nullable(),
    summary: z.string().meta({ description: 'The first sentence of its README.' }),
    deprecation: z
      .object({ reason: z.string(), link: z.string().nullable(), at: z.iso.datetime(), by: z.string() })
      .nullable(),
  })
  .meta({ id: 'RegistryModuleVersion' })

export const RegistryProviderVersion = z
  .object({
    ...Published,
    keyId: z.string(),
    protocols: z.array(z.string()),
    hasShasums: z.boolean(),
    isSigned: z.boolean(),
    platforms: z.array(
      z.object({
        os: z.string(),
        arch: z.string(),
        filename: z.string(),
        sha256: z.string(),
        isUploaded: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'RegistryProviderVersion' })

export function viewModuleVersion(version: ModuleVersion) {
  const { archive, deprecation } = version
  const at = publishedAt(version)
  return {
    version: version.version,
    isComplete: archive !== undefined,
    createdAt: isoTime(version.createdAt),
    createdBy: version.createdBy,
    publishedAt: at === undefined ? null : isoTime(at),
    sha256: archive?.sha256 ?? null,
    size: archive?.size ?? null,
    summary: version.summary ?? '',
    deprecation:
      deprecation === undefined
        ? null
        : {
            reason: deprecation.reason,
            link: deprecation.link ?? null,
            at: isoTime(deprecation.at),
            by: deprecation.by,
          },
  }
}

export function viewProviderVersion(version: ProviderVersion) {
  const { shasums, signature, platforms } = version
  return {
    version: version.version,
    isComplete: shasums !== undefined && signature !== undefined && platforms.some(({ file }) => file),
    createdAt: isoTime(version.createdAt),
    createdBy: version.createdBy,
    keyId: version.keyId,
    protocols: [...version.protocols],
    hasShasums: shasums !== undefined,
    isSigned: signature !== undefined,
    platforms: platforms.map(({ os, arch, filename, shasum, file }) => ({
      os,
      arch,
      filename,
      sha256: shasum,
      isUploaded: file !== undefined,
    })),
  }
}

/** The body of a request, as what is uploaded. */
export function uploadIn(x: Exchange, { freeBuffers }: V1Services) {
  return { stream: freeing(received(x), freeBuffers), declaredBytes: declaredBytes(x) }
}
