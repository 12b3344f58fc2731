import {
  type Bucket,
  type BucketAddress,
  type StoreClock,
  parseBucketUrl,
  storePatience,
  withAbilities,
} from '../bucket/index.ts'

export type OpenBucket = Bucket & Partial<StoreClock>

export interface OpenOptions {
  /** False: where a bucket can be made by opening it, it is refused instead. */
  readonly mayCreate: boolean
  /** True: opening and reading it leave no trace. What is written must not get here. */
  readonly isReadOnly?: boolean
  /** How long a request to the store may go unanswered. */
  readonly deadlineMs?: number
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
  s3: async ({ conditionalDelete, ...address }, { deadlineMs }) => {
    const { openS3Bucket } = await import('../bucket/adapters/s3/bucket.ts')
    const bucket = openS3Bucket({ ...address, ...storePatience(deadlineMs) })
    return conditionalDelete === undefined
      ? bucket
      : withAbilities(bucket, { ...bucket.can, conditionalDelete })
  },
  gs: async (address, { deadlineMs }) =>
    (await import('../bucket/adapters/gcs/bucket.ts')).openGcsBucket({
      ...address,
      ...storePatience(deadlineMs),
    }),
  azblob: async (address, { deadlineMs }) =>
    (await import('../bucket/adapters/azure/bucket.ts')).openAzureBucket({
      ...address,
      ...storePatience(deadlineMs),
    }),
}

async function openFolder({ folder }: { folder: string }, options: OpenOptions): Promise<OpenBucket> {
  const { mayCreate, isReadOnly = false } = options
  const { openFileBucket } = await import('../bucket/adapters/file/index.ts')
  return openFileBucket({ root: folder, mustExist: !mayCreate, isReadOnly })
}

export interface Opened {
  readonly bucket: OpenBucket
  /** False: the address says how reliable the store's conditional deletes are, so the probe does not decide it. */
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
