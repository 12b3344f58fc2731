import { doctorAnswer } from '../../api/answers.ts'
import { check, fields, flag, list, maybe, number, text } from '../../api/check-answer.ts'
import { ofWholeServer } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { EXIT, usageError } from '../../terminal/exit-codes.ts'
import { age, count } from '../../terminal/format.ts'
import { showFinding, summary } from './show-findings.ts'

const path = '/v1/checks/bucket'
const options = fields({ deep: flag, repair: flag })
const counts = fields({ ok: number, info: number, warning: number, error: number, repaired: number })
const checkAnswer = fields({
  check: maybe(
    fields({
      state: text,
      options,
      startedAt: text,
      by: text,
      host: text,
      checked: number,
      total: maybe(number),
      error: maybe(text),
      report: maybe(
        fields({
          endedAt: text,
          host: text,
          checked: number,
          counts,
          findings: list(doctorAnswer),
          omitted: number,
        }),
      ),
    }),
  ),
})

interface Wanted {
  readonly deep?: boolean
  readonly repair?: boolean
}

/** A check that a server carries out while nobody waits. */
export async function startInBackground(session: Session, { deep = false, repair = false }: Wanted) {
  if (session.target().kind === 'bucket')
    throw usageError('A check in the background needs a server.', 'Give --server, or leave out --background.')
  const client = await session.client()
  const answer = await client.json('POST', path, { query: ofWholeServer, json: { deep, repair } })
  if (session.output.asJson) session.output.json(answer)
  else session.output.say('the check has started; `taco doctor --last` shows how far it got')
  return EXIT.ok
}

/** What the last one found. With --json, as the API gives it. */
export async function showLast(session: Session, { deep = false, repair = false }: Wanted): Promise<number> {
  if (deep || repair)
    throw usageError('--last shows a check that was made before.', 'Leave out --deep and --repair.')
  const { output, world } = session
  const client = await session.client()
  const answer = await client.json('GET', path, { query: ofWholeServer })
  const { check: last } = check(checkAnswer, answer)
  const found = last?.report ?? null
  const code = found !== null && found.counts.error > 0 ? EXIT.found : EXIT.ok
  if (output.asJson) {
    output.json(answer)
    return code
  }
  if (last === null) {
    output.say('the bucket was not checked in the background yet; start with `taco doctor --background`')
    return code
  }
  const now = world.now()
  if (last.state !== 'done') output.note(attemptWords(last, now))
  if (found === null) return code
  for (const one of found.findings) showFinding(session, one)
  if (found.omitted > 0)
    output.note(`${count(found.omitted, 'more finding')} not stored; see \`taco doctor\``)
  const { ok, info, ...bad } = found.counts
  output.say(summary(bad, ok + info))
  output.say(`checked ${age(found.endedAt, now)} on ${found.host}: ${count(found.checked, 'unit')}`)
  return code
}

interface Attempt {
  readonly state: string
  readonly startedAt: string
  readonly by: string
  readonly host: string
  readonly checked: number
  readonly total: number | null
  readonly error: string | null
}

function attemptWords({ state, startedAt, by, host, checked, total, error }: Attempt, now: number): string {
  const who = `the check that ${by} started ${age(startedAt, now)} on ${host}`
  const far = total === null ? 'no unit' : `${checked} of ${count(total, 'unit')}`
  if (state === 'running') return `${who} is running: ${far} so far`
  if (state === 'failed') return `${who} failed: ${error ?? ''}`
  return `${who} was interrupted after ${far}`
}
