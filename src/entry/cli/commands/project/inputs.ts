import { plainJson } from '../../../../base/text/terminal-text.ts'
import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { TacoError, isTacoError, reasonOf } from '../../../../base/errors.ts'
import { checkExported, variableEnv, variableFile } from '../../../../engines/index.ts'
import { textOf, unitPath } from '../../api/client.ts'
import { usageError } from '../../terminal/exit-codes.ts'
import { inputsAnswer } from '../../api/outputs-answers.ts'
import { checkWritable, writePrivately } from '../../../../base/host/private-file.ts'
import type { Session } from '../../session.ts'
import { check } from '../../api/check-answer.ts'
import { withUnit } from '../../config/unit-name.ts'
import { openRepository } from '../../config/open-repository.ts'
import { count } from '../../terminal/format.ts'
import { jsonValuesOf, refuseHidden, unitVariables } from './unit-variables.ts'

interface InputsOptions {
  readonly write?: string | true
  readonly export?: boolean
  readonly sensitive?: boolean
  readonly file?: string
}

const FILE = 'taco.auto.tfvars.json'

export async function inputs(
  session: Session,
  [unit = '']: readonly string[],
  options: InputsOptions,
): Promise<void> {
  const { output } = session
  if (options.write !== undefined && options.export === true)
    throw usageError('--write and --export cannot be used together.', 'Choose one of them.')
  const client = await session.client()
  const path = unitPath(unit, '/inputs')
  const query = { sensitive: options.sensitive === true ? true : undefined }
  if (output.asJson && options.write === undefined && options.export !== true) {
    const reply = await withUnit(session, unit, () => client.send('GET', path, { query }))
    const given = await unitVariables(session, unit, options.sensitive === true)
    return output.data(`${plainJson(withField(await textOf(reply), 'variables', given))}\n`)
  }
  // What cannot be written in the end must not be recorded as taken.
  const file = options.write === undefined ? undefined : await fileFor(session, unit, options)
  const isTaken = file !== undefined || options.export === true
  const wanted = isTaken ? { complete: true } : { peek: true }
  const answer = await withUnit(session, unit, () =>
    client.json('GET', path, { query: { ...query, ...wanted, values: 'text' } }),
  )
  const all = await unitVariables(session, unit, options.sensitive === true)
  const fromUnits = check(inputsAnswer, answer).inputs
  const names = new Set(fromUnits.map(({ variable }) => variable))
  // A dependency says where a value comes from, so it is stronger than a variable, unless that has priority.
  const own = all.filter(
    ({ category, key, priority }) => category === 'terraform' && (priority || !names.has(key)),
  )
  const overridden = new Set(own.map(({ key }) => key))
  const given = fromUnits.filter(({ variable }) => !overridden.has(variable))
  if (given.length + all.length === 0)
    output.note(
      `${unit} has no inputs; name outputs in its dependencies, in taco.yaml or with \`taco dep add\`, or use \`taco var set\``,
    )
  if (!isTaken) {
    const rows = [
      ...given.map(({ variable, from, output: name, commit, value }) => [
        variable,
        `${from.name}.${name}`,
        String(commit),
        value ?? '(sensitive)',
      ]),
      ...own.map(({ key, value }) => [key, 'variable', '-', value ?? '(sensitive)']),
    ]
    if (rows.length > 0) output.table(['VARIABLE', 'FROM', 'COMMIT', 'VALUE'], rows)
    return
  }
  const env = all.filter(({ category }) => category === 'env')
  refuseHidden(unit, file === undefined ? [...own, ...env] : own)
  const values = {
    ...Object.fromEntries(
      given.flatMap(({ variable, value }) => (value === null ? [] : [[variable, value]])),
    ),
    ...(await jsonValuesOf(session, own)),
  }
  if (file === undefined) {
    checkExported(env.map(({ key }) => key))
    return output.data(exportsOf(values) + env.map(exportLine).join(''))
  }
  write(file, variableFile(values))
  if (output.asJson) return output.json({ unit, file, variables: Object.keys(values) })
  output.print(
    `wrote ${relative(session.world.cwd, file)}: ${count(given.length + own.length, 'variable')}\n`,
  )
  if (env.length > 0)
    output.note(`${count(env.length, 'variable')} of the environment: use --export or \`taco exec\``)
}

/** The object as it came, every digit kept, with one field more. */
function withField(json: string, name: string, value: unknown): string {
  return json.trimEnd().replace(/\}$/, () => `,${JSON.stringify(name)}:${JSON.stringify(value)}}`)
}

/** For `eval "$(taco inputs app --export)"`: nothing in a value can end its quotes. */
export function exportsOf(values: Readonly<Record<string, string>>): string {
  return Object.entries(variableEnv(values))
    .map(([key, value]) => exportLine({ key, value }))
    .join('')
}

function exportLine({ key, value }: { readonly key: string; readonly value: string | null }): string {
  return `export ${key}='${(value ?? '').replaceAll("'", `'\\''`)}'\n`
}

async function fileFor(session: Session, unit: string, options: InputsOptions): Promise<string> {
  const file =
    typeof options.write === 'string'
      ? resolve(session.world.cwd, options.write)
      : await usualFile(session, unit, options.file)
  whileWriting(file, () => checkWritable(file))
  return file
}

/** In the unit's folder as `taco.yaml` names it; without one, here. */
async function usualFile(session: Session, unit: string, named: string | undefined): Promise<string> {
  const { cwd } = session.world
  if (named === undefined && !isInProject(cwd)) return join(cwd, FILE)
  const repository = await openRepository(session, named)
  const dir = repository.unit(unit)?.dir
  if (dir === undefined)
    throw usageError(
      `taco.yaml has no folder for ${unit}.`,
      'Add it there, or name a file with --write=<file>.',
    )
  return join(resolve(repository.root, dir), FILE)
}

function isInProject(folder: string): boolean {
  return existsSync(join(folder, 'taco.yaml')) || (dirname(folder) !== folder && isInProject(dirname(folder)))
}

function write(file: string, text: string): void {
  whileWriting(file, () => writePrivately(file, text))
}

function whileWriting(file: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    if (isTacoError(error)) throw error
    throw new TacoError('UNEXPECTED', `Cannot write ${file}: ${reasonOf(error)}.`, {
      hint: 'Name another file with --write=<file>.',
      cause: error,
    })
  }
}
