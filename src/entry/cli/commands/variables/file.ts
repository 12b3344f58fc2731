import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { messageOf, reasonOf } from '../../../../base/errors.ts'
import { variableText } from '../../../../engines/index.ts'
import { textOf } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { usageError } from '../../terminal/exit-codes.ts'

export interface FileVariable {
  readonly key: string
  readonly category: 'terraform' | 'env'
  readonly value: string
  readonly hcl: boolean
}

/** The text of a file, or of the standard input for `-`. */
export async function inputText({ world }: Pick<Session, 'world'>, file: string): Promise<string> {
  if (file === '-') return textOf(world.stdin)
  try {
    return await readFile(resolve(world.cwd, file), 'utf8')
  } catch (error) {
    throw usageError(`Cannot read ${file}: ${reasonOf(error)}.`, 'Give the path of a file that you can read.')
  }
}

/** The variables of a file. Its name says what it is: `*.tfvars`, `*.json`, or lines `KEY=VALUE` for the environment. */
export async function fileVariables(
  session: Session,
  file: string,
  isEnv: boolean,
): Promise<readonly FileVariable[]> {
  const text = await inputText(session, file)
  const isCode = file.endsWith('.tfvars')
  if (!isCode && !file.endsWith('.json')) return envLines(text, file)
  const values = isCode ? await tfvars(session, file, text) : jsonValues(file, text)
  return Object.entries(values).map(([key, value]) => {
    const json = JSON.stringify(value)
    const hcl = typeof value !== 'string'
    if (isEnv && hcl)
      throw usageError(
        `${key} in ${file} is not a text, so it cannot be an environment variable.`,
        'Write the value in quotes, or leave out --env.',
      )
    return { key, category: isEnv ? 'env' : 'terraform', value: hcl ? variableText(json) : value, hcl }
  })
}

async function tfvars(
  session: Session,
  file: string,
  text: string,
): Promise<Readonly<Record<string, unknown>>> {
  const tools = await session.world.repository()
  const read = await tools.readVariableFile(text, tools.openHclReader())
  if ('values' in read) return read.values
  const [{ line, column, message } = { line: 1, column: 1, message: 'it is not HCL' }] = read.faults
  throw usageError(
    `${file}:${line}:${column}: ${message.replace(/\.$/, '')}.`,
    'Correct the file, and try again.',
  )
}

function jsonValues(file: string, text: string): Readonly<Record<string, unknown>> {
  let values: unknown
  try {
    values = JSON.parse(text)
  } catch (error) {
    // The message of the parser may hold a piece of the file.
    const [, position] = /position (\d+)/.exec(messageOf(error)) ?? []
    const line = text.slice(0, Number(position ?? 0)).split('\n').length
    throw usageError(`${file}:${line}: This is not JSON.`, 'Correct the file, and try again.')
  }
  if (typeof values === 'object' && values !== null && !Array.isArray(values))
    return values as Readonly<Record<string, unknown>>
  throw usageError(`${file} is not an object of variables.`, 'Write { "name": value }.')
}

/** As shells and `docker --env-file` write them. */
function envLines(text: string, file: string): readonly FileVariable[] {
  return text.split(/\r?\n/).flatMap((line, at) => {
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#')) return []
    const [, key, value] = /^(?:export\s+)?([^\s=]+)=(.*)$/.exec(trimmed) ?? []
    if (key === undefined || value === undefined)
      throw usageError(
        `${basename(file)}:${at + 1}: This line is not KEY=VALUE.`,
        'Correct the file, or rename it if it is not a list of environment variables.',
      )
    return [{ key, category: 'env' as const, value: unquoted(value), hcl: false }]
  })
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

function unquoted(text: string): string {
  const [, quote, inner] = /^(["'])(.*)\1$/s.exec(text) ?? []
  if (quote === undefined || inner === undefined) return text
  return quote === "'" ? inner : inner.replaceAll(/\\(.)/g, (_, one: string) => ESCAPES[one] ?? one)
}
