import { oneLine } from '../../../../base/text/terminal-text.ts'
import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { TacoError, isTacoError } from '../../../../base/errors.ts'
import { confirm } from '../../terminal/ask.ts'
import type { Output } from '../../terminal/output.ts'
import type { Session } from '../../session.ts'
import { check, fields, list, maybe, record, text } from '../../api/check-answer.ts'
import type { Of } from '../../api/check-answer.ts'
import { openRepository } from '../../config/open-repository.ts'
import { type Repository, isFolder } from '../../../../runner/index.ts'
import { count } from '../../terminal/format.ts'

interface SyncOptions {
  readonly file?: string
  readonly dryRun?: boolean
  readonly yes?: boolean
}

const uses = maybe(fields({ outputs: maybe(list(text)), inputs: record(text) }))
const change = fields({
  kind: text,
  unit: text,
  on: maybe(text),
  label: maybe(text),
  labels: maybe(record(text)),
})
const labelChange = fields({ before: maybe(text), after: text })
const edgeChange = fields({ before: uses, after: uses })
const lostEdges = list(fields({ unit: text, on: text, detail: text }))
const answerOf = fields({ changes: list((value) => value), warnings: list(text) })

/** Shows what would change, asks, and makes it so. */
export async function sync(session: Session, _args: readonly string[], options: SyncOptions): Promise<void> {
  const { output } = session
  const repository = await openRepository(session, options.file)
  const { project } = repository
  const units = project.units.map(({ name, labels, dependencies }) => ({ name, labels, dependencies }))
  const client = await session.client()
  const send = (dryRun: boolean) =>
    client.json('POST', '/v1/sync', { json: { units, dryRun } }).catch(async (error: unknown) => {
      throw await withPlaces(session, repository, error)
    })

  const planned = await send(true)
  const { changes, warnings } = check(answerOf, planned)
  for (const warning of [...warnings, ...missingFolders(repository)]) output.warn(warning)
  const isShownOnly = options.dryRun === true || changes.length === 0
  if (output.asJson && isShownOnly) return output.json(planned)
  if (!output.asJson) for (const one of changes) output.print(`${sayChange(one, output)}\n`)
  if (changes.length === 0) return output.note(`${count(units.length, 'unit')}: nothing to change`)
  if (isShownOnly) return output.note(`${count(changes.length, 'change')}; nothing was done`)
  await confirm(
    session,
    `make ${changes.length === 1 ? 'this change' : `these ${changes.length} changes`}?`,
    options.yes,
  )
  const done = await send(false)
  if (output.asJson) return output.json(done)
  output.note(`${count(check(answerOf, done).changes.length, 'change')} made`)
}

/** Others may have them; here no rollout can work on these. */
function missingFolders({ project, root }: Repository): readonly string[] {
  return project.units
    .filter(({ dir }) => !isFolder(resolve(root, dir)))
    .map(({ name, dir }) => `the folder ${dir}, which taco.yaml names for ${name}, does not exist`)
}

/** A server knows units, and no lines of files. */
async function withPlaces(
  { world }: Session,
  { project, file }: Repository,
  error: unknown,
): Promise<unknown> {
  if (!isTacoError(error, 'NOT_FOUND') || error.facts['errors'] === undefined) return error
  const { placesOfDependencies } = await world.repository()
  const placeOf = placesOfDependencies(readFileSync(file, 'utf8'), relative(world.cwd, file))
  const lines = check(lostEdges, error.facts['errors']).map(({ unit, on, detail }) => {
    const isOurs = project.units.some(
      ({ name, dependencies }) => name === unit && dependencies.some((one) => one.on === on),
    )
    return isOurs ? `${placeOf(unit, on)}: ${detail}` : detail
  })
  const { moreErrors } = error.facts
  if (typeof moreErrors === 'number') lines.push(`There are ${moreErrors} more.`)
  return new TacoError('NOT_FOUND', lines.join('\n'), {
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    facts: { ...error.facts, faults: lines },
  })
}

function sayChange(value: unknown, output: Output): string {
  const line = (style: 'green' | 'yellow' | 'red', text: string) => output.style(style, oneLine(text))
  const { kind, unit, on, label, labels } = check(change, value)
  if (kind === 'unit') {
    const said = Object.entries(labels ?? {}).map(([name, text]) => ` ${name}=${text}`)
    return line('green', `+ unit ${unit}${said.join('')}`)
  }
  if (kind === 'label') {
    const { before, after } = check(labelChange, value)
    return line('yellow', `~ ${unit}: label ${label} = ${before ?? '(none)'} → ${after}`)
  }
  const { before, after } = check(edgeChange, value)
  if (after === null) return line('red', `- ${unit} uses ${on}: ${sayUses(before)}`)
  if (before === null) return line('green', `+ ${unit} uses ${on}: ${sayUses(after)}`)
  return line('yellow', `~ ${unit} uses ${on}: ${sayUses(before)} → ${sayUses(after)}`)
}

function sayUses(used: Of<typeof uses>): string {
  const inputs = Object.entries(used?.inputs ?? {})
  const outputs = used?.outputs ?? null
  const names =
    outputs === null ? 'all outputs' : outputs.length === 0 ? 'only the order' : outputs.join(', ')
  return inputs.length === 0
    ? names
    : `${names} (${inputs.map(([variable, name]) => `${variable} = ${name}`).join(', ')})`
}
