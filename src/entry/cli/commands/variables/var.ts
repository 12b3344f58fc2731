import { check, fields, flag, list as listOf, maybe, text } from '../../api/check-answer.ts'
import { ofWholeServer, unitPath } from '../../api/client.ts'
import { withUnit } from '../../config/unit-name.ts'
import type { Session } from '../../session.ts'
import { usageError } from '../../terminal/exit-codes.ts'
import { count } from '../../terminal/format.ts'
import { pathIn } from '../access/shared.ts'
import { fileVariables, inputText } from './file.ts'

interface OwnerFlags {
  readonly unit?: string
  readonly set?: string
}

const variable = fields({ key: text, category: text, value: maybe(text), sensitive: flag, hcl: flag })
const source = fields({ set: maybe(fields({ name: text, priority: flag })) })
const items = fields({ items: listOf(variable) })
const effective = fields({
  items: listOf(
    fields({
      key: text,
      category: text,
      value: maybe(text),
      hcl: flag,
      source,
      overrides: listOf(fields({ source })),
    }),
  ),
})

/** Calls the list of variables of the unit or the set that the options name. */
async function ask(session: Session, { unit, set }: OwnerFlags, what: '' | '/effective', json?: unknown) {
  if ((unit === undefined) === (set === undefined))
    throw usageError('The unit or the variable set is missing.', 'Give either --unit or --set.')
  const client = await session.client()
  const method = json === undefined ? 'GET' : 'PATCH'
  const body = json === undefined ? {} : { json }
  if (unit !== undefined)
    return withUnit(session, unit, () => client.json(method, unitPath(unit, `/variables${what}`), body))
  const path = pathIn(session, 'variable-sets', set ?? '', 'variables')
  return client.json(method, path, { query: ofWholeServer, ...body })
}

export async function list(
  session: Session,
  _: readonly string[],
  { own, ...flags }: OwnerFlags & { readonly own?: boolean },
): Promise<void> {
  const { output } = session
  const isEffective = flags.unit !== undefined && own !== true
  const answer = await ask(session, flags, isEffective ? '/effective' : '')
  if (output.asJson) return output.json(answer)
  if (check(items, answer).items.length === 0) return output.note('no variables')
  if (!isEffective)
    return output.table(
      ['KEY', 'CATEGORY', 'VALUE'],
      check(items, answer).items.map((one) => [one.key, one.category, sayValue(one)]),
    )
  output.table(
    ['KEY', 'CATEGORY', 'VALUE', 'FROM', 'OVERRIDES'],
    check(effective, answer).items.map((one) => [
      one.key,
      one.category,
      sayValue(one),
      saySource(one.source),
      one.overrides.map((other) => saySource(other.source)).join(', ') || '-',
    ]),
  )
}

function sayValue({ value }: { readonly value: string | null }): string {
  return value ?? '(sensitive)'
}

function saySource({ set }: { readonly set: { readonly name: string; readonly priority: boolean } | null }) {
  if (set === null) return 'unit'
  return `${set.name}${set.priority ? ' (priority)' : ''}`
}

interface SetFlags extends OwnerFlags {
  readonly env?: boolean
  readonly sensitive?: boolean
  readonly hcl?: boolean
  readonly description?: string
  readonly fromFile?: string
}

export async function set(
  session: Session,
  [key = '', value]: readonly string[],
  { env, sensitive, hcl, description, fromFile, ...owner }: SetFlags,
): Promise<void> {
  const { output } = session
  if (value !== undefined && sensitive === true)
    throw usageError(
      'A sensitive value on the command line can be seen by others on this machine.',
      'Pipe it to the command, or give --from-file.',
    )
  if (value !== undefined && fromFile !== undefined)
    throw usageError('A value and --from-file cannot be used together.', 'Give one of them.')
  const given = value ?? (await valueFrom(session, fromFile))
  const answer = await ask(session, owner, '', {
    set: [
      {
        key,
        category: categoryOf(env),
        value: given,
        ...(sensitive === true ? { sensitive } : {}),
        ...(hcl === undefined ? {} : { hcl }),
        ...(description === undefined ? {} : { description }),
      },
    ],
  })
  if (output.asJson) return output.json(answer)
  output.say(`set ${key}`)
}

/** As editors and `echo` end them, without the last line break. */
async function valueFrom(session: Session, file: string | undefined): Promise<string> {
  if (file === undefined && session.world.stdin.isTTY === true)
    session.world.stderr.write('Paste the value, then press Enter and Ctrl-D:\n')
  return (await inputText(session, file ?? '-')).replace(/\r?\n$/, '')
}

export async function remove(
  session: Session,
  keys: readonly string[],
  { env, ...owner }: OwnerFlags & { readonly env?: boolean },
): Promise<void> {
  const { output } = session
  const names = keys.map((key) => ({ key, category: categoryOf(env) }))
  const answer = await ask(session, owner, '', { remove: names })
  if (output.asJson) return output.json(answer)
  output.say(`removed ${keys.join(', ')}`)
}

export async function importFiles(
  session: Session,
  files: readonly string[],
  { env, sensitive, ...owner }: OwnerFlags & { readonly env?: boolean; readonly sensitive?: boolean },
): Promise<void> {
  const { output } = session
  const all = (await Promise.all(files.map((file) => fileVariables(session, file, env === true)))).flat()
  // The last one counts, as it does for an engine that is given the files.
  const unique = [...new Map(all.map((one) => [`${one.category} ${one.key}`, one])).values()]
  if (unique.length === 0) return output.note('no variables')
  const chosen = sensitive === true ? unique.map((one) => ({ ...one, sensitive })) : unique
  const answer = await ask(session, owner, '', { set: chosen })
  if (output.asJson) return output.json(answer)
  output.say(`set ${count(unique.length, 'variable')}: ${unique.map(({ key }) => key).join(', ')}`)
}

function categoryOf(env: boolean | undefined): string {
  return env === true ? 'env' : 'terraform'
}
