import { adoptAnswer, adoptSummary, gcAnswer, serverAnswer } from '../../api/answers.ts'
import { jsonLines, ofWholeServer } from '../../api/client.ts'
import { checkDynamodb } from './dynamodb-check.ts'
import { errorOfProblem } from '../../api/server-error.ts'
import type { Session } from '../../session.ts'
import { check } from '../../api/check-answer.ts'
import { oneLine } from '../../../../base/text/terminal-text.ts'
import { bytes, count } from '../../terminal/format.ts'

interface AdoptOptions {
  readonly under?: string
  readonly as?: string
  readonly dryRun?: boolean
  readonly code?: string
  readonly despiteDynamodb?: boolean
}

/** With --json the lines of the API go through as they come. */
export async function adopt(
  session: Session,
  _args: readonly string[],
  options: AdoptOptions,
): Promise<void> {
  const { output } = session
  const client = await session.client()
  const server = check(serverAnswer, await client.json('GET', '/v1/server', { query: ofWholeServer }))
  if (server.bucket.kind === 's3') await checkDynamodb(session, options)
  const json = {
    ...(options.under === undefined ? {} : { under: options.under }),
    ...(options.as === undefined ? {} : { as: options.as }),
    dryRun: options.dryRun === true,
  }
  const progress = session.progress('looking through the bucket:')
  const totals = new Map<string, number>()
  const warnings: string[] = []
  let seen = 0
  try {
    const reply = await client.send('POST', '/v1/adopt', { json, accept: 'application/x-ndjson', idleMs: 0 })
    for await (const line of jsonLines(reply)) {
      if (isEnding(line)) {
        if (line.error !== undefined) throw errorOfProblem(line.error)
        if (output.asJson) output.jsonLine(line)
        else warnings.push(...(check(adoptSummary, line).summary.warnings ?? []))
        continue
      }
      const finding = check(adoptAnswer, line)
      totals.set(finding.outcome, (totals.get(finding.outcome) ?? 0) + 1)
      progress.say(count(++seen, 'state'))
      if (output.asJson) output.jsonLine(line)
      else if (finding.outcome !== 'already-adopted') {
        progress.done()
        const why = finding.reason === null ? '' : `  (${finding.reason})`
        output.print(
          `${finding.outcome.padEnd(11)}  ${oneLine(`${finding.unit}  ←  ${finding.key}  ${bytes(finding.size)}${why}`)}\n`,
        )
      }
    }
  } finally {
    progress.done()
  }
  for (const warning of warnings) output.warn(warning)
  if (seen === 0) return output.note('no state was found in the bucket')
  const said = [...totals].map(
    ([outcome, number]) => `${number.toLocaleString('en-US')} ${outcome.replaceAll('-', ' ')}`,
  )
  output.note(`${count(seen, 'state')}: ${said.join(', ')}`)
  if (options.dryRun === true && totals.has('would-adopt'))
    output.note('nothing was done: run it without --dry-run to adopt them')
}

function isEnding(line: unknown): line is { readonly summary?: unknown; readonly error?: unknown } {
  return (
    typeof line === 'object' && line !== null && !('key' in line) && ('summary' in line || 'error' in line)
  )
}

export async function gc(
  session: Session,
  _args: readonly string[],
  options: { readonly dryRun?: boolean },
): Promise<void> {
  const { output } = session
  const client = await session.client()
  const progress = session.progress('cleaning up')
  const tick = setInterval(() => progress.say('…'), 500)
  let answer: unknown
  try {
    answer = await client.json('POST', '/v1/gc', { json: { dryRun: options.dryRun === true }, idleMs: 0 })
  } finally {
    clearInterval(tick)
    progress.done()
  }
  if (output.asJson) return output.json(answer)
  const report = check(gcAnswer, answer)
  const [would, did] = report.dryRun ? ['would prune', 'would delete'] : ['pruned', 'deleted']
  const events = report.eventsPruned ? ` and ${count(report.eventsPruned, 'event')}` : ''
  output.say(
    `${would} ${count(report.versionsPruned, 'version')} of ${count(report.unitsWithRule, 'unit')} with a retention rule${events}, ${did} ${count(report.objectsDeleted, 'object')} (${bytes(report.bytesDeleted)})`,
  )
}
