import { promises } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { TacoError, messageOf, reasonOf } from '../../../../base/errors.ts'
import type { DynamodbUse } from '../../../../scan/index.ts'
import { filesToScan, placeInRepository, scanFolder } from '../../config/scan-files.ts'
import type { Session } from '../../session.ts'
import type { RepositoryTools } from '../../world.ts'

/** What is wrong with one block, and what to change. */
export function dynamodbAdvice({ by, trouble }: DynamodbUse): string {
  return trouble === 'lock'
    ? `${by} locks in DynamoDB, where OpenTaco cannot see it: replace dynamodb_table with use_lockfile = true`
    : `${by} compares the state with a digest in DynamoDB, which fails after a write through OpenTaco: remove dynamodb_table`
}

/**
 * Refuses to share a bucket with code whose engines lock somewhere else. Only code can tell: the bucket does not show
 * such locks. A dry run changes nothing, so it only warns.
 */
export async function checkDynamodb(
  session: Session,
  options: { readonly code?: string; readonly despiteDynamodb?: boolean; readonly dryRun?: boolean },
): Promise<void> {
  const { output, world } = session
  const tools = await world.repository()
  const folder = await folderOfCode(world.cwd, options.code, tools)
  if (folder === undefined)
    return output.note('no code was checked for locks in DynamoDB: name its folder with --code')
  const uses = await usesBelow(session, folder, tools).catch((error: unknown) => {
    if (options.code !== undefined) throw unreadable(options.code, error)
    output.warn(`the code here was not checked for locks in DynamoDB: ${messageOf(error)}`)
    return []
  })
  const shown = uses.map((use) => ({
    ...use,
    file: relative(world.cwd, join(folder, use.file)),
    message: dynamodbAdvice(use),
  }))
  const isPermitted = options.despiteDynamodb === true || options.dryRun === true
  const locks = isPermitted ? [] : shown.filter(({ trouble }) => trouble === 'lock')
  for (const one of shown) if (!locks.includes(one)) output.warn(`${one.file}:${one.line}: ${one.message}`)
  if (locks.length === 0) return
  throw new TacoError(
    'CONFLICT',
    locks.map(({ file, line, message }) => `${file}:${line}: ${message}`).join('\n'),
    {
      hint: 'Nothing was adopted. OpenTofu and Terraform 1.10 or newer support use_lockfile: change the code, run `init -reconfigure`, and adopt again. Give --despite-dynamodb if no engine with this code uses the bucket directly any more.',
      facts: { faults: locks },
    },
  )
}

/** The repository around the current folder, or the folder itself if it has code: a home directory is not searched. */
async function folderOfCode(
  cwd: string,
  given: string | undefined,
  tools: RepositoryTools,
): Promise<string | undefined> {
  if (given !== undefined) return resolve(cwd, given)
  const within = await placeInRepository(cwd)
  if (within === '.') return cwd
  if (within !== undefined) return resolve(await promises.realpath(cwd), relative(within, '.'))
  const names = await promises.readdir(cwd)
  return names.some((name) => tools.isScanned(name) || name === 'taco.yaml') ? cwd : undefined
}

/** Most code does not mention it, and is not parsed. */
async function usesBelow(
  session: Session,
  folder: string,
  tools: RepositoryTools,
): Promise<readonly DynamodbUse[]> {
  const progress = session.progress('looking through the code')
  try {
    for await (const file of filesToScan(folder, tools.isScanned))
      if (tools.mentionsDynamodb(await file.read())) return (await scanFolder(tools, folder)).dynamodb
    return []
  } finally {
    progress.done()
  }
}

function unreadable(folder: string, cause: unknown): TacoError {
  return new TacoError('BAD_REQUEST', `Cannot read the code in ${folder}: ${reasonOf(cause)}.`, {
    hint: 'Name a folder that contains code.',
    cause,
  })
}
