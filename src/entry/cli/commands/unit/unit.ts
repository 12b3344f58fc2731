import { sayRetention } from '../../../../base/text/retention.ts'
import { sayAuthor, sayCreator } from '../../../../base/text/author.ts'
import { sayResources, unitAnswer } from '../../api/answers.ts'
import type { LockAnswer, UnitAnswer } from '../../api/answers.ts'
import { confirm } from '../../terminal/ask.ts'
import { unitPath } from '../../api/client.ts'
import { usageError } from '../../terminal/exit-codes.ts'
import { warningsAnswer } from '../../api/graph-answers.ts'
import { parseLabels, retentionOf } from '../../terminal/labels.ts'
import type { KeepFlags } from '../../terminal/labels.ts'
import { wholeList } from '../../api/pages.ts'
import type { Session } from '../../session.ts'
import { check, fields, maybe, number } from '../../api/check-answer.ts'
import { withUnit } from '../../config/unit-name.ts'
import { age, bytes, count } from '../../terminal/format.ts'

interface ListOptions {
  readonly search?: string
  readonly label?: readonly string[]
  readonly deleted?: boolean
  readonly locked?: boolean
}

export async function list(
  session: Session,
  [prefix]: readonly string[],
  options: ListOptions,
): Promise<void> {
  const { output, world } = session
  const client = await session.client()
  for (const pair of options.label ?? []) parseLabels([pair])
  const query = {
    prefix,
    search: options.search,
    label: options.label,
    deleted: options.deleted === true ? 'only' : undefined,
  }
  let damaged = 0
  const items = await wholeList(client, '/v1/units', query, Infinity, (page) => {
    damaged = check(fields({ damaged: maybe(number) }), page).damaged ?? 0
  })
  if (damaged > 0)
    output.warn(
      `${count(damaged, 'unit')} cannot be read and ${damaged === 1 ? 'is' : 'are'} left out; see \`taco doctor --deep\``,
    )
  const isShown = (unit: UnitAnswer) => options.locked !== true || unit.lock !== null
  if (output.asJson) {
    output.json({
      items: options.locked === true ? items.filter((item) => isShown(check(unitAnswer, item))) : items,
      next: null,
      damaged,
    })
    return
  }
  const units = items.map((item) => check(unitAnswer, item)).filter(isShown)
  if (units.length === 0) {
    const some =
      prefix !== undefined ||
      options.search !== undefined ||
      options.label !== undefined ||
      options.deleted ||
      options.locked
    if (some) output.note('no unit matches')
    else if (damaged === 0)
      output.note(
        'no units yet: `taco unit create prod/network` makes one, `taco adopt` finds states in the bucket',
      )
    return
  }
  const now = world.now()
  if (options.deleted === true) {
    output.table(
      ['UNIT', 'ID', 'VERSION', 'SERIAL', 'DELETED', 'BY'],
      units.map(({ name, id, deleted }) => [
        name,
        id,
        String(deleted?.version?.seq ?? '-'),
        String(deleted?.version?.serial ?? '-'),
        deleted === null ? '-' : age(deleted.at, now),
        deleted === null ? '-' : sayAuthor(deleted),
      ]),
    )
    return
  }
  output.table(
    ['UNIT', 'SERIAL', 'RESOURCES', 'CHANGED', 'LOCK', 'LABELS'],
    units.map((unit) => [
      unit.name,
      unit.state === null ? (unit.missing === null ? '-' : 'missing') : String(unit.state.serial),
      unit.state === null ? '-' : sayResources(unit.state),
      age(unit.state?.at ?? unit.changedAt, now),
      unit.lock === null ? '-' : sayHolder(unit.lock),
      Object.entries(unit.labels)
        .map(([key, value]) => `${key}=${value}`)
        .join(' ') || '-',
    ]),
  )
}

export async function show(session: Session, [unit = '']: readonly string[]): Promise<void> {
  const client = await session.client()
  const answer = await withUnit(session, unit, () => client.json('GET', unitPath(unit)))
  showUnit(session, answer)
}

interface ChangeOptions extends KeepFlags {
  readonly key?: string
  readonly description?: string
  readonly label?: readonly string[]
  readonly allowDecrypt?: boolean
  readonly keepDefault?: boolean
}

export async function create(
  session: Session,
  [name = '']: readonly string[],
  options: ChangeOptions,
): Promise<void> {
  const client = await session.client()
  const { key } = options
  for (const [name, value] of Object.entries(parseLabels(options.label ?? []))) {
    if (value === null) throw usageError(`The label ${name} has no value.`, 'Write labels as key=value.')
  }
  const answer = await client.json('POST', '/v1/units', {
    json: { name, ...(key === undefined ? {} : { key }), ...changeOf(options) },
  })
  if (session.output.asJson) return session.output.json(answer)
  const unit = check(unitAnswer, answer)
  session.output.say(`created ${unit.name} (${unit.id})`)
  session.output.note(`next: \`taco backend ${unit.name} --write\` makes code use it`)
}

export async function set(
  session: Session,
  [unit = '']: readonly string[],
  options: ChangeOptions,
): Promise<void> {
  const change = changeOf(options)
  if (Object.keys(change).length === 0)
    throw usageError('No change was given.', '`taco unit set --help` lists what can be changed.')
  const client = await session.client()
  showUnit(
    session,
    await withUnit(session, unit, () => client.json('PATCH', unitPath(unit), { json: change })),
  )
}

function changeOf(options: ChangeOptions): Record<string, unknown> {
  const retention = options.keepDefault === true ? null : retentionOf(options)
  return {
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(options.label === undefined ? {} : { labels: parseLabels(options.label) }),
    ...(options.allowDecrypt === undefined ? {} : { allowDecrypt: options.allowDecrypt }),
    ...(retention === undefined ? {} : { retention }),
  }
}

export async function rename(session: Session, [unit = '', name = '']: readonly string[]): Promise<void> {
  const client = await session.client()
  const answer = await withUnit(session, unit, () =>
    client.json('POST', unitPath(unit, '/rename'), { json: { name } }),
  )
  if (session.output.asJson) return session.output.json(answer)
  session.output.say(`renamed ${unit} to ${check(unitAnswer, answer).name}`)
  session.output.note(
    `engines are refused under the old name; code needs the new one: \`taco backend ${name}\``,
  )
}

export async function remove(
  session: Session,
  [unit = '']: readonly string[],
  options: { readonly force?: boolean; readonly yes?: boolean },
): Promise<void> {
  const client = await session.client()
  await confirm(session, `delete the unit ${unit}?`, options.yes)
  const query = options.force === true ? { force: true } : {}
  const answer = await withUnit(session, unit, () => client.json('DELETE', unitPath(unit), { query }))
  for (const warning of check(warningsAnswer, answer).warnings ?? []) session.output.warn(warning)
  if (session.output.asJson) return session.output.json(answer)
  session.output.say(`deleted ${unit}`)
  session.output.note(
    `its history is kept: \`taco unit restore ${unit}\` restores it, \`taco unit create ${unit}\` creates a new unit`,
  )
}

export async function restore(
  session: Session,
  [unit = '']: readonly string[],
  options: { readonly as?: string },
): Promise<void> {
  const client = await session.client()
  const json = options.as === undefined ? {} : { name: options.as }
  const answer = await client.json('POST', unitPath(unit, '/restore'), { json })
  if (session.output.asJson) return session.output.json(answer)
  session.output.say(`restored ${check(unitAnswer, answer).name}`)
}

function showUnit(session: Session, answer: unknown): void {
  const { output, world } = session
  if (output.asJson) return output.json(answer)
  const unit = check(unitAnswer, answer)
  const now = world.now()
  const { state, lock, outputs } = unit
  output.facts([
    ['unit', unit.name],
    ['id', unit.id],
    ['organization', unit.org],
    ['description', unit.description || undefined],
    [
      'labels',
      Object.entries(unit.labels)
        .map(([key, value]) => `${key}=${value}`)
        .join(' ') || undefined,
    ],
    ['state key', unit.key],
    ['created', `${age(unit.createdAt, now)} by ${sayCreator(unit)}`],
    [
      'deleted',
      unit.deleted === null ? undefined : `${age(unit.deleted.at, now)} by ${sayAuthor(unit.deleted)}`,
    ],
    ['keeps', unit.retention === null ? undefined : sayRetention(unit.retention)],
    [
      'state',
      state === null
        ? sayNoState(unit)
        : `serial ${state.serial}, ${bytes(state.size)}, ${saysInside(state)}`,
    ],
    [
      'version',
      state === null
        ? undefined
        : `${state.id} (number ${state.seq}), ${age(state.at, now)} by ${sayAuthor(state)} (${state.how})`,
    ],
    ['written with', state?.terraformVersion ?? undefined],
    ['outputs', state === null ? undefined : sayOutputs(state, outputs)],
    ['lock', lock === null ? 'free' : `${lock.id}, taken by ${sayHolder(lock)} ${age(lock.at, now)}`],
    ['lock reason', lock?.reason ?? undefined],
    ['lock operation', lock?.info.Operation || undefined],
    ['lock frees itself', lock?.leaseUntil ?? undefined],
    ['lock was made', lock?.outside === true ? 'around OpenTaco, in the bucket itself' : undefined],
  ])
}

function sayNoState({ missing, name }: UnitAnswer): string {
  if (missing === null) return 'none'
  const { seq, serial } = missing.version
  return `missing: emptied or deleted around OpenTaco, found ${missing.at}; version ${seq} (serial ${serial}) is the last, see \`taco state rollback ${name} ${seq}\``
}

function saysInside(state: NonNullable<UnitAnswer['state']>): string {
  return state.unreadable || state.resources === null
    ? sayResources(state)
    : count(state.resources, 'resource')
}

function sayOutputs(state: NonNullable<UnitAnswer['state']>, outputs: UnitAnswer['outputs']): string {
  if (outputs === null) return state.unreadable ? 'not a state' : 'encrypted'
  if (outputs.length === 0) return 'none'
  const names = outputs.map(({ name, sensitive }) => (sensitive ? `${name} (sensitive)` : name)).join(', ')
  return `${count(outputs.length, 'output')}: ${names}`
}

function sayHolder(lock: LockAnswer): string {
  return lock.info.Who || lock.by
}
