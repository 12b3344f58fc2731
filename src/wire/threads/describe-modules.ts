import { Worker } from 'node:worker_threads'
import { type DescribeModule, type ModuleFile, ModuleMetadata } from '../../registry/index.ts'

export interface DescribeLimits {
  readonly mostMs: number
  readonly mostMegabytes: number
}

const LIMITS: DescribeLimits = { mostMs: 10_000, mostMegabytes: 256 }

/**
 * Reads each module in a thread of its own, one after another: code that is made to exhaust the parser takes neither
 * this thread's time nor another module's parser with it.
 */
export function threadDescriber(entry: URL, limits: DescribeLimits = LIMITS): DescribeModule {
  let last: Promise<unknown> = Promise.resolve()
  return (files) => {
    const next = last.then(() => describedBy(entry, files, limits))
    last = next.catch(() => undefined)
    return next
  }
}

async function describedBy(
  entry: URL,
  files: readonly ModuleFile[],
  { mostMs, mostMegabytes }: DescribeLimits,
): Promise<ModuleMetadata> {
  const worker = new Worker(entry, {
    resourceLimits: { maxOldGenerationSizeMb: mostMegabytes },
    execArgv: [],
    env: {},
    // The parser prints what makes it fail.
    stdout: true,
    stderr: true,
  })
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise((resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`it takes more than ${mostMs / 1000} s`)), mostMs)
      worker.once('message', (said) => resolve(ModuleMetadata.parse(said)))
      worker.once('error', reject)
      worker.once('exit', () => reject(new Error('the parser failed')))
      worker.postMessage(files, [])
    })
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}

/** The built program has the thread beside it; from source there is nothing that a thread could load. */
export function ownDescriber(): DescribeModule {
  return import.meta.url.endsWith('.ts')
    ? inThisThread
    : threadDescriber(new URL('./describe-thread.js', import.meta.url))
}

async function inThisThread(files: readonly ModuleFile[]): Promise<ModuleMetadata> {
  const { describeModule } = await import('../../scan/index.ts')
  const { openHclReader } = await import('../../scan/adapters/hcl2json.ts')
  return describeModule(files, openHclReader())
}
