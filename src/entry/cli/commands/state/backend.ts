import { basename, dirname, join, resolve } from 'node:path'
import { TacoError, reasonOf } from '../../../../base/errors.ts'
import { type BackendPlace, backendBlock, innerBlock } from '../../../../engines/index.ts'
import { placeOf } from './backend-place.ts'
import type { FoundBackend } from '../bucket/hcl-backends.ts'
import { backendsIn, replaced } from '../bucket/hcl-backends.ts'
import type { Session } from '../../session.ts'
import { checkNames } from '../../config/unit-name.ts'

interface BackendOptions {
  readonly kind: BackendPlace['kind']
  readonly write?: string | true
  readonly force?: boolean
  readonly replace?: boolean
}

export async function backend(
  session: Session,
  [unit = '']: readonly string[],
  options: BackendOptions,
): Promise<void> {
  const { output, world } = session
  await checkNames(session, unit)
  const place = await placeOf(session, unit, options.kind)
  const block = backendBlock(place)
  const wanted = options.write === true || options.replace === true ? 'backend.tf' : undefined
  const named = typeof options.write === 'string' ? options.write : wanted
  const file = named && (await writeBackend(resolve(world.cwd, named), place, options))
  if (output.asJson) return output.json({ unit, address: null, ...place, block, file: file ?? null })
  if (file === undefined) output.data(block)
  else output.say(file === named ? `wrote ${file}` : `replaced the backend in ${file}`)
  for (const line of adviceFor(session, unit, place, file)) output.note(line)
}

function adviceFor(
  session: Session,
  unit: string,
  place: BackendPlace,
  file: string | undefined,
): readonly string[] {
  const paste = file === undefined ? ['put this block into the code, then:'] : ['next:']
  if (session.target().kind === 'bucket') {
    const bucket = session.target().from === 'flag' ? ` --bucket ${session.target().address}` : ''
    return [
      ...paste,
      `  taco${bucket} exec ${unit} -- tofu init     (add -migrate-state to bring a local state along)`,
      `  taco${bucket} exec ${unit} -- tofu plan`,
    ]
  }
  const init = '  tofu init     (add -migrate-state to bring a local state along)'
  return [...paste, ...credentialsFor(session, place), init]
}

/** There is nothing to sign in to, so `taco login` does not configure the engines. */
const WITHOUT_TLS =
  '  configure the engine for plain http: it expects https here (docs/terraform-cloud.md, "Without TLS")'

/** How the engine gets the token, which stays out of the code. */
function credentialsFor(session: Session, { kind }: BackendPlace): readonly string[] {
  const hasToken = session.token() !== undefined
  if (kind === 's3') return ['  eval "$(taco s3-keys)"     (the keys stay out of the code)']
  if (kind !== 'http') {
    const own = session.world.env['TACO_TOKEN']
      ? 'printf %s "$TACO_TOKEN" | taco login --token-stdin'
      : 'taco login'
    if (hasToken) return [`  ${own} --for tofu --for terraform`]
    return session.target().address.startsWith('http:') ? [WITHOUT_TLS] : []
  }
  const source = session.world.env['TACO_TOKEN'] ? '$TACO_TOKEN' : '$(taco whoami --token)'
  return hasToken
    ? [`  export TF_HTTP_USERNAME=taco TF_HTTP_PASSWORD="${source}"     (the token stays out of the code)`]
    : []
}

/** Engines take one backend only, in whichever file. The name of the file that has it now. */
async function writeBackend(
  path: string,
  place: BackendPlace,
  { force = false, replace = false, write }: BackendOptions,
): Promise<string> {
  const name = typeof write === 'string' ? write : basename(path)
  const others = (await backendsAround(dirname(path))).filter((one) => replace || one.path !== path)
  const [other, more] = others
  if (other === undefined) {
    await writeBlock(path, backendBlock(place), force)
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
  const block = Buffer.from(innerBlock(place)).toString('latin1')
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
