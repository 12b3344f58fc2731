import { z } from 'zod'
import type { ModuleVersion, ProviderVersion } from '../../../../registry/index.ts'
import { isoTime } from '../../../../base/clock.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { declaredBytes, received } from '../../kit/request/receive.ts'
import type { V1Services } from '../define.ts'
import { freeing } from '../../kit/freeing.ts'

export const tags = ['registry']
export const ofNamed = ({ params }: { readonly params: { readonly org: string } }) => ({ org: params.org })

const Published = {
  version: z.string(),
  isComplete: z.boolean().meta({ description: 'Engines can install it.' }),
  createdAt: z.iso.datetime(),
  createdBy: z.string(),
}

export const RegistryModuleVersion = z
  .object({
    ...Published,
    sha256: z.string().nullable().meta({ description: 'Of the archive.' }),
    size: z.number().nullable(),
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
  const { archive } = version
  return {
    version: version.version,
    isComplete: archive !== undefined,
    createdAt: isoTime(version.createdAt),
    createdBy: version.createdBy,
    sha256: archive?.sha256 ?? null,
    size: archive?.size ?? null,
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
