import { openMemoryBucket } from '../../src/bucket/adapters/memory.ts'
import { bucketContract } from './bucket.ts'

bucketContract('memory, counting tags', {
  open: () => Promise.resolve({ bucket: openMemoryBucket(), dispose: () => Promise.resolve() }),
})

bucketContract('memory, content-hash tags, small pages, no conditional delete', {
  open: () =>
    Promise.resolve({
      bucket: openMemoryBucket({ contentHashTags: true, conditionalDelete: false, pageSize: 3 }),
      dispose: () => Promise.resolve(),
    }),
  skips: { conditionalDelete: 'asked to ignore the condition, as some stores do' },
})
