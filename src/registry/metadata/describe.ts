import { createHash } from 'node:crypto'
import { isTacoError, messageOf } from '../../base/errors.ts'
import { type Taken, bodyOf } from '../../bucket/index.ts'
import { pickModuleFiles } from './module-files.ts'
import { type DescribeModule, type ModuleMetadata, emptyMetadata } from './module-metadata.ts'
import { summaryOf } from './summary.ts'

interface Described {
  /** One sentence for lists. */
  readonly summary: string
  /** To be stored. */
  readonly taken: Pick<Taken, 'body' | 'hash'>
}

/** What the archive of a module says. Code that cannot be read is no reason to refuse a version. */
export async function describeArchive(
  { body }: Pick<Taken, 'body'>,
  describeModule: DescribeModule,
): Promise<Described> {
  const metadata = await readArchive(body.stream(), describeModule)
  const bytes = bodyOf(JSON.stringify(metadata))
  const hash = createHash('sha256')
    .update(bytes.bytes ?? '')
    .digest('hex')
  return { summary: summaryOf(metadata.root.readme), taken: { body: bytes, hash } }
}

/** It fails only if the archive itself cannot be got, never because of what is in it. */
export async function readArchive(
  archive: AsyncIterable<Uint8Array>,
  describeModule: DescribeModule,
): Promise<ModuleMetadata> {
  try {
    const { files, faults } = await pickModuleFiles(archive)
    const metadata = await describeModule(files)
    return { ...metadata, faults: [...faults, ...metadata.faults] }
  } catch (error) {
    if (isTacoError(error)) throw error
    return emptyMetadata(`The code cannot be read: ${messageOf(error)}.`)
  }
}
