import { createHash } from 'node:crypto'
import { valid } from 'semver'
import { z } from 'zod'
import type { Clock } from '../../base/clock.ts'
import { TacoError, isTacoError } from '../../base/errors.ts'
import { createFresh } from '../../base/fresh.ts'
import type { Spool } from '../../base/spool.ts'
import { type Bucket, ROOT, bodyOf, openObject, takeIn } from '../../bucket/index.ts'
import { parseSha256Sums } from '../sha256sums.ts'
import type { Upstream } from './upstream.ts'

/** A provider of another registry. */
export interface MirroredProvider {
  readonly host: string
  readonly namespace: string
  readonly type: string
}

export interface MirroredArchive {
  readonly os: string
  readonly arch: string
  readonly filename: string
  readonly sha256: string
}

/**
 * Providers of other registries, fetched when they are first asked for and kept in the bucket. Nothing is handed out
 * that does not have the checksum of the registry that it comes from.
 */
export interface ProviderMirror {
  /** The registries that are mirrored, by name. */
  readonly hosts: readonly string[]
  versions(provider: MirroredProvider): Promise<readonly string[]>
  archives(provider: MirroredProvider, version: string): Promise<readonly MirroredArchive[]>
  read(
    provider: MirroredProvider,
    version: string,
    archive: MirroredArchive,
  ): Promise<{ readonly size: number; stream(): AsyncIterable<Uint8Array>; dispose(): Promise<void> }>
}

export interface MirrorDeps {
  readonly bucket: Bucket
  readonly clock: Clock
  readonly spool: Spool
  readonly upstream: Upstream
  /** The registries that are mirrored, as `name` or `name=address`; no other is asked. */
  readonly hosts: readonly string[]
}

const MAX_JSON_BYTES = 4 * 2 ** 20
const MAX_SUMS_BYTES = 2 ** 20
const MAX_ARCHIVE_BYTES = 2 ** 30
const FRESH_MS = 60_000
const SERVICES_MS = 600_000
const NAME = /^[0-9A-Za-z](?:[0-9A-Za-z_-]{0,62}[0-9A-Za-z])?$/

const Services = z.object({ 'providers.v1': z.string() })
const Platform = z.object({ os: z.string(), arch: z.string() })
const Versions = z.object({
  versions: z.array(z.object({ version: z.string(), platforms: z.array(Platform).optional() })),
})
const Package = z.object({
  filename: z.string(),
  download_url: z.string(),
  shasum: z.string(),
  shasums_url: z.string(),
})
/** What is known of a version: it never changes. */
const Stored = openObject({
  v: z.literal(1),
  archives: z.array(
    openObject({ os: z.string(), arch: z.string(), filename: z.string(), sha256: z.string() }),
  ),
})

export function createProviderMirror(deps: MirrorDeps): ProviderMirror {
  const { bucket, clock, upstream, hosts, spool } = deps
  const addresses = new Map(hosts.map((host) => [host.split('=')[0] ?? host, host.split('=').at(-1)]))
  const underWay = new Map<string, Promise<void>>()
  const services = createFresh({
    clock,
    forMs: SERVICES_MS,
    most: 100,
    keyOf: (host: string) => host,
    async read(host) {
      const url = new URL(`https://${addresses.get(host)}/.well-known/terraform.json`)
      return new URL((await json(url, Services))['providers.v1'], url)
    },
  })
  const listed = createFresh({
    clock,
    forMs: FRESH_MS,
    most: 1_000,
    keyOf: ({ host, namespace, type }: MirroredProvider) => `${host}/${namespace}/${type}`,
    async read(provider) {
      const url = await addressOf(provider, 'versions')
      const { versions } = await json(url, Versions)
      return versions.filter(({ version }) => valid(version) === version)
    },
  })

  async function addressOf({ host, namespace, type }: MirroredProvider, path: string): Promise<URL> {
    const base = await services.get(host)
    return new URL(`${base.href.replace(/\/*$/, '/')}${namespace}/${type}/${path}`)
  }

  async function json<T>(url: URL, schema: z.ZodType<T>): Promise<T> {
    const text = await upstream.text(url, MAX_JSON_BYTES)
    try {
      return schema.parse(JSON.parse(text))
    } catch (cause) {
      throw wrong(url, 'its answer is not understood', cause)
    }
  }

  async function packageFor(provider: MirroredProvider, version: string, platform: z.infer<typeof Platform>) {
    const url = await addressOf(provider, `${version}/download/${platform.os}/${platform.arch}`)
    const found = await json(url, Package)
    return { ...found, archive: new URL(found.download_url, url), sums: new URL(found.shasums_url, url) }
  }

  /** From the checksums of the version, which list every platform. */
  async function fetchArchives(provider: MirroredProvider, version: string) {
    const known = (await listed.get(provider)).find((one) => one.version === version)
    const [platform] = known?.platforms ?? []
    if (platform === undefined || !isPlatform(platform)) throw missing(`the version ${version}`)
    const { sums, filename, shasum } = await packageFor(provider, version, platform)
    const listedSums = parsedSums(sums, await upstream.text(sums, MAX_SUMS_BYTES))
    if (listedSums.get(filename) !== shasum.toLowerCase())
      throw wrong(sums, 'its checksums contradict each other')
    const prefix = `terraform-provider-${provider.type}_${version}_`
    return [...listedSums].flatMap(([name, sha256]) => {
      const [, os, arch] = /^([0-9a-z]+)_([0-9a-z]+)\.zip$/.exec(name.slice(prefix.length)) ?? []
      if (!name.startsWith(prefix) || os === undefined || arch === undefined) return []
      return [{ os, arch, filename: name, sha256 }]
    })
  }

  async function archives(provider: MirroredProvider, version: string): Promise<readonly MirroredArchive[]> {
    check(provider, version)
    const key = `${prefixOf(provider, version)}archives.json`
    const found = await bucket.get(key)
    const stored = found && Stored.safeParse(parsedJson(await found.bytes()))
    if (stored?.success === true) return stored.data.archives
    const fetched = await fetchArchives(provider, version)
    if (fetched.length === 0) throw missing(`the version ${version}`)
    const body = bodyOf(JSON.stringify({ v: 1, archives: fetched }))
    // Another server may have stored the same; what cannot be read is replaced.
    await bucket.put(key, body, found?.tag ?? 'absent')
    return fetched
  }

  async function storedVersions(provider: MirroredProvider): Promise<readonly string[]> {
    const prefix = prefixOf(provider)
    const versions: string[] = []
    for await (const page of bucket.list(prefix))
      for (const { key } of page) {
        const [version = '', file] = key.slice(prefix.length).split('/')
        if (file === 'archives.json') versions.push(version)
      }
    return versions
  }

  function keyOf(provider: MirroredProvider, version: string, { sha256 }: MirroredArchive): string {
    return `${prefixOf(provider, version)}${sha256}.zip`
  }

  async function fetchArchive(provider: MirroredProvider, version: string, wanted: MirroredArchive) {
    const { archive, shasum, filename } = await packageFor(provider, version, wanted)
    if (shasum.toLowerCase() !== wanted.sha256 || filename !== wanted.filename)
      throw wrong(archive, 'its checksums contradict each other')
    const tooLarge = () => wrong(archive, `the archive has more than ${MAX_ARCHIVE_BYTES} bytes`)
    const taken = await takeIn(
      await upstream.stream(archive),
      spool,
      { maxBytes: MAX_ARCHIVE_BYTES, tooLarge },
      () => undefined,
    )
    try {
      if (taken.hash !== wanted.sha256) throw wrong(archive, 'the archive does not have its checksum')
      await bucket.put(keyOf(provider, version, wanted), taken.body, 'absent')
    } finally {
      await taken.dispose()
    }
  }

  /** Requests for one archive share one download. */
  async function fetched(
    provider: MirroredProvider,
    version: string,
    wanted: MirroredArchive,
  ): Promise<void> {
    const key = keyOf(provider, version, wanted)
    const waiting =
      underWay.get(key) ?? fetchArchive(provider, version, wanted).finally(() => underWay.delete(key))
    underWay.set(key, waiting)
    await waiting
  }

  function check(provider: MirroredProvider, version?: string): void {
    if (!addresses.has(provider.host)) throw missing(`the registry ${provider.host}`)
    for (const name of [provider.namespace, provider.type])
      if (!NAME.test(name)) throw missing(`the provider ${name}`)
    if (version !== undefined && valid(version) !== version) throw missing(`the version ${version}`)
  }

  return {
    hosts: [...addresses.keys()],
    async versions(provider) {
      check(provider)
      try {
        return (await listed.get(provider)).map(({ version }) => version)
      } catch (error) {
        // What was fetched before can be installed even now.
        const kept = isTacoError(error, 'UPSTREAM_FAILED') ? await storedVersions(provider) : []
        if (kept.length === 0) throw error
        return kept
      }
    },
    archives,
    async read(provider, version, archive) {
      check(provider, version)
      const key = keyOf(provider, version, archive)
      const found = await bucket.get(key).then(async (stored) => {
        if (stored !== undefined) return stored
        await fetched(provider, version, archive)
        return bucket.get(key)
      })
      if (found === undefined) throw missing(`the archive ${archive.filename}`)
      return {
        size: found.size,
        stream: () => checked(found.stream(), archive.sha256, key),
        dispose: () => Promise.resolve(found.discard()),
      }
    },
  }
}

const isPlatform = ({ os, arch }: z.infer<typeof Platform>) => /^[0-9a-z]+ [0-9a-z]+$/.test(`${os} ${arch}`)

/** Not of an organization: what other registries have is the same for all. */
function prefixOf({ host, namespace, type }: MirroredProvider, version?: string): string {
  const all = `${ROOT}mirror/${host.replace(':', '_')}/${namespace}/${type}/`
  return version === undefined ? all : `${all}${version}/`
}

function parsedJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

function parsedSums(url: URL, text: string): ReadonlyMap<string, string> {
  try {
    return parseSha256Sums(Buffer.from(text))
  } catch (cause) {
    throw wrong(url, 'its checksums are not understood', cause)
  }
}

async function* checked(
  stream: AsyncIterable<Uint8Array>,
  sha256: string,
  key: string,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  for await (const chunk of stream) {
    hash.update(chunk)
    yield chunk
  }
  if (hash.digest('hex') !== sha256)
    throw new TacoError('BUCKET_CORRUPT', `The mirrored archive ${key} is damaged.`, {
      facts: { key },
      hint: 'Delete this object: the archive is then fetched again.',
    })
}

function missing(what: string): TacoError {
  return new TacoError('NOT_FOUND', `The mirror does not have ${what}.`)
}

function wrong(url: URL, why: string, cause?: unknown): TacoError {
  return new TacoError('UPSTREAM_FAILED', `${url.origin} cannot be used: ${why}.`, {
    hint: 'Try again later. If it stays, ask the registry that the provider comes from.',
    facts: { host: url.host },
    cause,
  })
}
