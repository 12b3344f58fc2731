import { resolve } from 'node:path'
import { TacoError, messageOf } from '../../../base/errors.ts'
import { backendBlock, backendUrl } from '../backend-block.ts'
import type { Session } from '../session.ts'
import { checkNames } from '../unit-name.ts'

interface BackendOptions {
  readonly kind: 'http'
  readonly write?: string | true
  readonly force?: boolean
}

/** Asks nobody: a unit is created on first use, so the block is right before there is one. */
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
  const file = options.write === true ? 'backend.tf' : options.write
  if (file !== undefined) await writeBlock(resolve(world.cwd, file), block, options.force === true)
  if (output.asJson)
    return output.json({ unit, kind: options.kind, address: url ?? null, block, file: file ?? null })
  if (file === undefined) output.data(block)
  else output.say(`wrote ${file}`)
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
  const token =
    session.token() === undefined
      ? []
      : [
          '  export TF_HTTP_USERNAME=taco TF_HTTP_PASSWORD="$TACO_TOKEN"     (the token stays out of the code)',
        ]
  return [...paste, ...token, '  tofu init     (add -migrate-state to bring a local state along)']
}

async function writeBlock(path: string, block: string, overwrite: boolean): Promise<void> {
  try {
    const { writeFile } = await import('node:fs/promises')
    await writeFile(path, block, { flag: overwrite ? 'w' : 'wx' })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      throw new TacoError('ALREADY_EXISTS', `${path} exists already`, {
        hint: 'give --force to overwrite it, or --write=another.tf',
        cause: error,
      })
    }
    throw new TacoError('UNEXPECTED', `cannot write ${path}: ${messageOf(error)}`, {
      hint: 'run it in the folder of the code',
      cause: error,
    })
  }
}
