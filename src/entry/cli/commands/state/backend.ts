import { basename, dirname, join, resolve } from 'node:path'
import { TacoError, reasonOf } from '../../../../base/errors.ts'
import { backendUrl } from '../../../../runner/index.ts'
import { backendBlock, innerBlock } from './backend-block.ts'
import type { FoundBackend } from '../bucket/hcl-backends.ts'
import { backendsIn, replaced } from '../bucket/hcl-backends.ts'
import type { Session } from '../../session.ts'
import { checkNames } from '../../config/unit-name.ts'

interface BackendOptions {
  readonly kind: 'http'
  readonly write?: string | true
  readonly force?: boolean
  readonly replace?: boolean
}

/** Makes no request: a unit is created on first use, so the block is right before the unit exists. */
export async function backend(
  session: Session,
  [unit = '']: readonly string[],
  options: BackendOptions,
): Promise<void> {
  const { output, world } = session
  await checkNames(session, unit)
  const { kind, address } = session.target()
  const url = kind === 'server' ? backendUrl(address, session.org(), unit) : undefined
  const block = backendBlock(url)
  const wanted = options.write === true || options.replace === true ? 'backend.tf' : undefined
  const named = typeof options.write === 'string' ? options.write : wanted
  const file = named && (await writeBackend(resolve(world.cwd, named), url, options))
  if (output.asJson)
    return output.json({ unit, kind: options.kind, address: url ?? null, block, file: file ?? null })
  if (file === undefined) output.data(block)
  else output.say(file === named ? `wrote ${file}` : `replaced the backend in ${file}`)
  for (const line of adviceFor(session, unit, file)) output.note(line)
}

function adviceFor(session: Session, unit: string, file: string | undefined): readonly string[] {
  const paste = file === undefined ? ['put this block into the code, then:'] : ['next:']
  if (session.target().kind === 'bucket') {
    const bucket = session.target().from === 'flag' ? ` --bucket ${session.target().address}` : ''
    return [
      ...paste,
      `  taco${bucket} exec ${unit} -- tofu init     (add -migrate-state to bring a local state along)`,
      `  taco${bucket} exec ${unit} -- tofu plan`,
    ]
  }
  const source = session.world.env['TACO_TOKEN'] ? '$TACO_TOKEN' : '$(taco whoami --token)'
  const token =
    session.token() === undefined
      ? []
      : [`  export TF_HTTP_USERNAME=taco TF_HTTP_PASSWORD="${source}"     (the token stays out of the code)`]
  return [...paste, ...token, '  tofu init     (add -migrate-state to bring a local state along)']
}

/** Engines take one backend only, in whichever file. The name of the file that has it now. */
async function writeBackend(
  path: string,
  url: string | undefined,
  { force = false, replace = false, write }: BackendOptions,
): Promise<string> {
  const name = typeof write === 'string' ? write : basename(path)
  const others = (await backendsAround(dirname(path))).filter((one) => replace || one.path !== path)
  const [other, more] = others
  if (other === undefined) {
    await writeBlock(path, backendBlock(url), force)
    return name
  }
  const where = others.map((one) => `${basename(one.path)} line ${one.line} (${one.says})`).join(', ')
  if (!replace || more !== undefined || other.start === undefined) {
    const hint = replace
      ? 'Keep one of them, in a file that is not JSON, and try again.'
      : 'Use --replace to replace it. `tofu init -migrate-state` then moves the state.'
    throw new TacoError('ALREADY_EXISTS', `The code already has a backend: ${where}.`, { hint })
  }
  const { readFile, writeFile } = await import('node:fs/promises')
  // One character for each byte: whatever encoding the rest is in, it stays as it is.
  const text = await readFile(other.path, 'latin1')
  const block = Buffer.from(innerBlock(url)).toString('latin1')
  await writeFile(other.path, replaced(text, { ...other, start: other.start }, block), 'latin1')
  return basename(other.path)
}

interface FileBackend extends Omit<FoundBackend, 'start'> {
  readonly path: string
  /** Undefined: the file is JSON, and is left to people. */
  readonly start: number | undefined
}

async function backendsAround(folder: string): Promise<readonly FileBackend[]> {
  const { readFile, readdir } = await import('node:fs/promises')
  const files = (await readdir(folder).catch(() => [])).filter((file) => /\.(tf|tofu)(\.json)?$/.test(file))
  const found = files.toSorted().map(async (file): Promise<readonly FileBackend[]> => {
    const path = join(folder, file)
    const text = await readFile(path, 'latin1')
    if (!file.endsWith('.json')) return backendsIn(text).map((one) => ({ ...one, path }))
    const says = /"terraform"[\s\S]*"(backend|cloud)"\s*:/.exec(text)?.[1]
    return says === undefined ? [] : [{ path, says, start: undefined, end: 0, line: 1 }]
  })
  return (await Promise.all(found)).flat()
}

async function writeBlock(path: string, block: string, overwrite: boolean): Promise<void> {
  try {
    const { writeFile } = await import('node:fs/promises')
    await writeFile(path, block, { flag: overwrite ? 'w' : 'wx' })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      throw new TacoError('ALREADY_EXISTS', `${path} already exists.`, {
        hint: 'Use --force to overwrite it, or --replace to change only the backend.',
        cause: error,
      })
    }
    throw new TacoError('UNEXPECTED', `Cannot write ${path}: ${reasonOf(error)}.`, {
      hint: 'Run the command in the folder of the code.',
      cause: error,
    })
  }
}
