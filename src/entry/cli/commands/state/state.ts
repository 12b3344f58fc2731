import { sayAuthor } from '../../../../base/text/author.ts'
import {
  type AbsenceAnswer,
  absencesAnswer,
  damagedAnswer,
  sayResources,
  versionAnswer,
} from '../../api/answers.ts'
import { confirm } from '../../terminal/ask.ts'
import { unitPath } from '../../api/client.ts'
import { EXIT } from '../../terminal/exit-codes.ts'
import { wholeList } from '../../api/pages.ts'
import type { Session } from '../../session.ts'
import { check } from '../../api/check-answer.ts'
import { renderDiff, stateDiff } from '../../terminal/state-diff.ts'
import { withUnit } from '../../config/unit-name.ts'
import { age, bytes } from '../../terminal/format.ts'

export async function versions(
  session: Session,
  [unit = '']: readonly string[],
  options: { readonly limit?: number },
): Promise<void> {
  const { output, world } = session
  const client = await session.client()
  const most = options.limit ?? (world.stdout.isTTY === true && !output.asJson ? 20 : Infinity)
  const limit = Math.min(most, 1000)
  const damaged: unknown[] = []
  const absences: AbsenceAnswer[] = []
  const items = await withUnit(session, unit, () =>
    wholeList(client, unitPath(unit, '/versions'), { limit }, most, (page) => {
      const gaps = check(damagedAnswer, page).damaged ?? []
      damaged.push(...gaps)
      absences.push(...(check(absencesAnswer, page).absences ?? []))
      for (const { seq, object } of gaps)
        output.warn(
          object === null
            ? `version ${seq} is missing from the bucket`
            : `version ${seq} is damaged: ${object}; see \`taco doctor --deep\``,
        )
    }),
  )
  if (output.asJson) return output.json({ items, next: null, damaged, absences })
  if (items.length === 0 && absences.length === 0)
    return output.note(`${unit} has no versions ${damaged.length > 0 ? 'that can be read' : 'yet'}`)
  const now = world.now()
  output.table(
    ['NUMBER', 'VERSION', 'SERIAL', 'RESOURCES', 'SIZE', 'WHEN', 'BY', 'HOW', 'STATUS', 'MESSAGE'],
    [
      ...items
        .map((item) => check(versionAnswer, item))
        .map((version) => ({
          seq: version.seq,
          at: version.at,
          row: [
            String(version.seq),
            version.id,
            String(version.serial),
            sayResources(version),
            bytes(version.size),
            age(version.at, now),
            sayAuthor(version),
            version.how,
            sayVersionStatus(version),
            version.message ?? '-',
          ],
        })),
      ...absences.map((absence) => ({ ...absence, row: absenceRow(absence, now) })),
    ]
      // An absence comes after the version that it names.
      .sort((a, b) => b.seq - a.seq || (a.at < b.at ? 1 : -1))
      .map(({ row }) => row),
  )
  if (items.length === most && options.limit === undefined)
    output.note(`the newest ${most} are shown; -n shows more`)
}

function sayVersionStatus({
  status,
  warning,
}: {
  readonly status: string
  readonly warning: string | null
}): string {
  return warning === null ? status : `${status}, ${warning.replaceAll('-', ' ')}`
}

function absenceRow({ what, at, until, ...author }: AbsenceAnswer, now: number): string[] {
  const status = until === null ? '-' : `until ${age(until, now)}`
  return ['-', '-', '-', '-', '-', age(at, now), sayAuthor(author), what.replace('-', ' '), status, '-']
}

export async function show(
  session: Session,
  [unit = '', version = 'current']: readonly string[],
): Promise<void> {
  const client = await session.client()
  const path = unitPath(unit, `/versions/${encodeURIComponent(version)}`)
  showVersion(session, await withUnit(session, unit, () => client.json('GET', path)))
}

function showVersion({ output, world }: Session, answer: unknown): void {
  if (output.asJson) return output.json(answer)
  const version = check(versionAnswer, answer)
  output.facts([
    ['version', version.id],
    ['number', String(version.seq)],
    ['status', sayVersionStatus(version)],
    ['serial', String(version.serial)],
    ['lineage', version.lineage],
    ['size', bytes(version.size)],
    ['sha256', version.sha256],
    ['resources', sayResources(version)],
    ['written with', version.terraformVersion ?? undefined],
    ['written', `${version.at} (${age(version.at, world.now())}) by ${sayAuthor(version)}`],
    ['how', version.how],
    ['content of', version.source ?? undefined],
    ['message', version.message ?? undefined],
  ])
}

/** With one version named, it is compared with the current one. */
export async function diff(
  session: Session,
  [unit = '', from, to]: readonly string[],
  options: { readonly exitCode?: boolean },
): Promise<number> {
  const client = await session.client()
  const query = { from: from ?? 'previous', to: to ?? 'current' }
  const answer = await withUnit(session, unit, () => client.json('GET', unitPath(unit, '/diff'), { query }))
  const found = check(stateDiff, answer)
  if (session.output.asJson) session.output.json(answer)
  else session.output.print(renderDiff(found, session.output.style))
  const differs = found.encrypted
    ? found.before?.size !== found.after?.size || found.before?.serial !== found.after?.serial
    : found.resources.length + found.outputs.length > 0
  return options.exitCode === true && differs ? EXIT.found : EXIT.ok
}

interface RollbackOptions {
  readonly lock?: string
  readonly message?: string
  readonly keepSerial?: boolean
  readonly yes?: boolean
}

export async function rollback(
  session: Session,
  [unit = '', version = '']: readonly string[],
  options: RollbackOptions,
): Promise<void> {
  const client = await session.client()
  await confirm(session, `make version ${version} of ${unit} current again?`, options.yes)
  const json = {
    version,
    ...(options.lock === undefined ? {} : { lock: options.lock }),
    ...(options.message === undefined ? {} : { message: options.message }),
    ...(options.keepSerial === true ? { keepSerial: true } : {}),
  }
  const answer = await withUnit(session, unit, () =>
    client.json('POST', unitPath(unit, '/rollback'), { json }),
  )
  if (session.output.asJson) return session.output.json(answer)
  const made = check(versionAnswer, answer)
  session.output.say(
    `${unit} is back at the content of ${made.source ?? version}: ${made.id}, number ${made.seq}, serial ${made.serial}`,
  )
  session.output.note(
    'the state was rolled back, the real resources were not: check `tofu plan` before the next apply',
  )
}

interface RemoveOptions {
  readonly lock?: string
  readonly force?: boolean
  readonly yes?: boolean
}

export async function remove(
  session: Session,
  [unit = '']: readonly string[],
  options: RemoveOptions,
): Promise<void> {
  const client = await session.client()
  await confirm(session, `delete the state of ${unit}?`, options.yes)
  const query = { lock: options.lock, force: options.force === true ? true : undefined }
  const answer = await withUnit(session, unit, () =>
    client.json('DELETE', unitPath(unit, '/state'), { query }),
  )
  if (session.output.asJson) return session.output.json(answer ?? { unit, deleted: true })
  session.output.say(`deleted the state of ${unit}`)
  session.output.note(`its history stays: \`taco state rollback ${unit} current\` brings it back`)
}
