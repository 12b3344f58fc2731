import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { reasonOf } from '../../../../base/errors.ts'
import { textOf } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { usageError } from '../../terminal/exit-codes.ts'

/** What belongs to the organization in use: `pathIn(session, 'teams', 'ops')`. */
export function pathIn(session: Session, ...parts: readonly string[]): string {
  return `/v1/orgs/${[session.org(), ...parts].map(encodeURIComponent).join('/')}`
}

/** Whoever has no kind before the name is a person. */
export function subjectOf(text: string): string {
  return text.includes(':') || text === 'everyone' ? text : `user:${text}`
}

/** The file after `-f`, and how messages call it. */
export async function fileOf(
  { world }: Pick<Session, 'world'>,
  file: string | undefined,
): Promise<{ readonly text: string; readonly path: string }> {
  if (file === undefined) throw usageError('There is no file.', 'Give it with -f, or "-f -" for stdin.')
  if (file === '-') return { text: await textOf(world.stdin), path: 'stdin' }
  try {
    return { text: await readFile(resolve(world.cwd, file), 'utf8'), path: file }
  } catch (error) {
    throw usageError(`Cannot read ${file}: ${reasonOf(error)}.`, 'Give the path of a file in YAML or JSON.')
  }
}

export function required(value: string | undefined, option: string, hint: string): string {
  if (value !== undefined && value.trim() !== '') return value
  throw usageError(`The option --${option} is missing.`, hint)
}
