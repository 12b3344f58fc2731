/** The promises of src/bucket/bucket.ts as tests. Every adapter runs them against its real peers. */
import { afterAll, beforeAll, describe } from 'vitest'
import type { Bucket } from '../../src/bucket/bucket.ts'
import { conditionTests } from './bucket-conditions.ts'
import { keyTests } from './bucket-keys.ts'
import { listTests } from './bucket-list.ts'
import { readTests } from './bucket-read.ts'

export interface OpenedBucket {
  readonly bucket: Bucket
  /** A second, independent client of the same store. */
  reopen?(): Promise<Bucket>
  dispose(): Promise<void>
}

/** What a store cannot do through no fault of the adapter; each needs a reason, which is printed. */
export type ContractSkip =
  | 'conditionalDelete' // the store ignores the condition
  | 'absentDelete' // the store says "deleted" of what was not there
  | 'keyUnderKey' // `a` and `a/b` cannot both be objects
  | 'supplementaryOrder' // characters above U+FFFF are not listed in byte order
  | 'backslash' // `\` in a key
  | 'trailingDot' // a segment that ends with a dot

export interface ContractOptions {
  open(): Promise<OpenedBucket>
  readonly skips?: Readonly<Partial<Record<ContractSkip, string>>>
  /** The server cannot be had on this machine, which the run lists at its end. */
  readonly isLeftOut?: boolean
}

export interface ContractContext {
  /** Two clients of one store where there is a second, else the same one twice. */
  clients(): readonly [Bucket, Bucket]
  /** A prefix that no other test uses, ending in a slash. */
  folder(): string
  readonly skips: Readonly<Partial<Record<ContractSkip, string>>>
}

export function bucketContract(name: string, options: ContractOptions): void {
  describe.skipIf(options.isLeftOut === true)(`the bucket contract: ${name}`, () => {
    let opened: OpenedBucket | undefined
    let clients: readonly [Bucket, Bucket] | undefined
    let folders = 0

    beforeAll(async () => {
      opened = await options.open()
      clients = [opened.bucket, (await opened.reopen?.()) ?? opened.bucket]
    }, 120_000)

    afterAll(async () => {
      for (const client of new Set(clients)) await client.close()
      await opened?.dispose()
    })

    const context: ContractContext = {
      clients() {
        if (clients === undefined) throw new Error('the bucket was not opened')
        return clients
      },
      folder: () => `contract/${++folders}-${Math.random().toString(36).slice(2, 10)}/`,
      skips: options.skips ?? {},
    }
    conditionTests(context)
    readTests(context)
    keyTests(context)
    listTests(context)
  })
}
