import {
  type Bucket,
  type BucketAddress,
  type StoreClock,
  parseBucketUrl,
  withAbilities,
} from '../bucket/index.ts'

export type OpenBucket = Bucket & Partial<StoreClock>

export interface OpenOptions {
  /** False: where a bucket can be made by opening it, it is refused instead. */
  readonly mayCreate: boolean
  /** True: opening and reading it leave no trace. What is written must not get here. */
  readonly isReadOnly?: boolean
}

/** One entry per kind of store; each is loaded only when it is used, because some bring a large library along. */
const OPENERS: {
  readonly [K in BucketAddress['kind']]: (
    address: Extract<BucketAddress, { kind: K }>,
    options: OpenOptions,
  ) => Promise<OpenBucket>
} = {
  memory: async () => (await import('../bucket/adapters/memory.ts')).openMemoryBucket(),
  file: openFolder,
  s3: async ({ conditionalDelete, ...options }) => {
    const bucket = (await import('../bucket/adapters/s3/bucket.ts')).openS3Bucket(options)
    return conditionalDelete === undefined
      ? bucket
      : withAbilities(bucket, { ...bucket.can, conditionalDelete })
  },
  gs: async (options) => (await import('../bucket/adapters/gcs.ts')).openGcsBucket(options),
  azblob: async (options) => (await import('../bucket/adapters/azure.ts')).openAzureBucket(options),
}

async function openFolder({ folder }: { folder: string }, options: OpenOptions): Promise<OpenBucket> {
  const { mayCreate, isReadOnly = false } = options
  const { openFileBucket } = await import('../bucket/adapters/file/index.ts')
  return openFileBucket({ root: folder, mustExist: !mayCreate, isReadOnly })
}

export interface Opened {
  readonly bucket: OpenBucket
  /** False: the address says what the store's conditional deletes are worth, so the probe does not decide it. */
  readonly isProbeTrusted: boolean
}

export async function openBucket(url: string, options: OpenOptions = { mayCreate: true }): Promise<Opened> {
  const address = parseBucketUrl(url)
  return {
    bucket: await openAt(address, options),
    isProbeTrusted: address.kind !== 's3' || address.conditionalDelete === undefined,
  }
}

function openAt<K extends BucketAddress['kind']>(
  address: Extract<BucketAddress, { kind: K }>,
  options: OpenOptions,
): Promise<OpenBucket> {
  return OPENERS[address.kind](address, options)
}
