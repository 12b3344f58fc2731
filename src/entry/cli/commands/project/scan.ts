import { writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { TacoError, reasonOf } from '../../../../base/errors.ts'
import type { ScanReport } from '../../../../scan/index.ts'
import { dynamodbAdvice } from '../bucket/dynamodb-check.ts'
import { usageError } from '../../terminal/exit-codes.ts'
import { scanFolder } from '../../config/scan-files.ts'
import type { Session } from '../../session.ts'
import { count } from '../../terminal/format.ts'

interface ScanOptions {
  readonly write?: string | true
  readonly force?: boolean
}

/** Reads code only: no server is asked, nothing is changed but the file that --write names. */
export async function scan(
  session: Session,
  [folder = '.']: readonly string[],
  options: ScanOptions,
): Promise<void> {
  const { output, world } = session
  const root = resolve(world.cwd, folder)
  const tools = await world.repository()
  const progress = session.progress('scanning')
  const report = await scanFolder(tools, root)
    .catch((error: unknown) => {
      throw cannotRead(folder, error)
    })
    .finally(() => progress.done())
  for (const { file, line, column, message } of report.faults)
    output.warn(`${join(folder, file)}:${line}:${column}: ${message}`)
  for (const use of report.dynamodb)
    output.warn(`${join(folder, use.file)}:${use.line}: ${dynamodbAdvice(use)}`)
  if (report.cycle !== null)
    output.warn(
      `units use each other in a cycle, so \`taco sync\` will refuse this: ${report.cycle.join(' → ')}`,
    )
  if (output.asJson) output.json(report)
  else show(session, report, options.write === undefined)
  if (options.write === undefined) return
  const file = options.write === true ? join(root, 'taco.yaml') : resolve(world.cwd, options.write)
  const under = relative(dirname(file), root).replaceAll(sep, '/') || '.'
  if (under === '..' || under.startsWith('../'))
    throw usageError(
      `${relative(world.cwd, file)} cannot name folders outside its own folder.`,
      `Write it to ${folder} or a folder above.`,
    )
  if (report.units.length === 0)
    throw new TacoError('NOT_FOUND', 'There is nothing to write.', {
      hint: `Check that there is code in ${folder}.`,
    })
  writeProject(file, tools.projectText(report, under), options.force === true, relative(world.cwd, file))
  output.note(`wrote ${relative(world.cwd, file)}; check it, then run \`taco sync\``)
}

function show({ output }: Session, { units, unresolved, remarks }: ScanReport, advises: boolean): void {
  for (const { where, says } of remarks) output.warn(`${where}: ${says}`)
  if (units.length === 0) return output.note('no root module was found')
  output.table(
    ['UNIT', 'FOLDER', 'STATE', 'USES'],
    units.map(({ name, dir, backend, dependencies }) => [
      name,
      dir,
      backend,
      dependencies
        .map(({ on, outputs }) => (outputs === null ? on : `${on}:${outputs.join(',') || '-'}`))
        .join(' ') || '-',
    ]),
  )
  for (const { dir, uses, reason } of unresolved) output.warn(`${dir} uses ${uses}, but ${reason}`)
  const edges = units.reduce((sum, unit) => sum + unit.dependencies.length, 0)
  output.note(
    `${count(units.length, 'unit')}, ${count(edges, 'dependency', 'dependencies')}${advises ? '; --write makes a taco.yaml of it' : ''}`,
  )
}

function writeProject(file: string, text: string, force: boolean, shown: string): void {
  try {
    writeFileSync(file, text, { flag: force ? 'w' : 'wx' })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      throw usageError(
        `${shown} already exists.`,
        'Use --force to overwrite it, or another name with --write=<file>.',
      )
    throw usageError(`Cannot write ${shown}: ${reasonOf(error)}.`, 'Name a file in an existing folder.')
  }
}

function cannotRead(folder: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'EACCES') return error
  return usageError(
    `Cannot read the folder ${folder}: ${reasonOf(error)}.`,
    'Name a folder that contains code.',
  )
}
