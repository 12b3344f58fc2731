import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFileBucket } from '../../src/bucket/adapters/file/index.ts'
import { checkKey, checkPrefix } from '../../src/bucket/keys.ts'
import { bucketContract } from './bucket.ts'
import type { Bucket, Entry, Found, GetOptions } from '../../src/bucket/bucket.ts'

bucketContract('a folder, plain files', {
  open: () => open((bucket) => bucket),
  skips: { keyUnderKey: 'a plain file cannot be a folder too' },
})

bucketContract('a folder, our own documents', { open: () => open(amongOwn) })

async function open(over: (bucket: Bucket) => Bucket) {
  const root = await mkdtemp(join(tmpdir(), 'taco-contract-'))
  return {
    bucket: over(await openFileBucket({ root })),
    reopen: async () => over(await openFileBucket({ root })),
    dispose: () => rm(root, { recursive: true, force: true }),
  }
}

/** The same bucket seen from inside `.taco/`, where objects have no plain files. */
function amongOwn(bucket: Bucket): Bucket {
  const own = '.taco/'
  async function inside<T>(key: string, act: (key: string) => Promise<T>): Promise<T> {
    checkKey(key)
    return act(own + key)
  }
  return {
    ...bucket,
    get: ((key: string, options: GetOptions) =>
      inside(key, async (whole) => {
        const found: Found | 'unchanged' | undefined = await bucket.get(whole, options)
        return typeof found === 'object' ? { ...found, key } : found
      })) as Bucket['get'],
    head: (key, options) =>
      inside(key, async (whole) => {
        const entry = await bucket.head(whole, options)
        return entry && { ...entry, key }
      }),
    put: (key, ...rest) => inside(key, (whole) => bucket.put(whole, ...rest)),
    delete: (key, ...rest) => inside(key, (whole) => bucket.delete(whole, ...rest)),
    async *list(prefix, { after, ...options } = {}) {
      checkPrefix(prefix)
      const from = after === undefined ? options : { ...options, after: own + after }
      for await (const page of bucket.list(own + prefix, from)) yield page.map(shortened)
    },
  }
  function shortened(entry: Entry): Entry {
    return { ...entry, key: entry.key.slice(own.length) }
  }
}
