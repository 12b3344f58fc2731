import { oneLine } from '../../../../base/text/terminal-text.ts'
import { check, fields, maybe, text } from '../../api/check-answer.ts'
import type { Of } from '../../api/check-answer.ts'
import { jsonLines } from '../../api/client.ts'
import { errorOfProblem } from '../../api/server-error.ts'
import type { Session } from '../../session.ts'
import { EXIT } from '../../terminal/exit-codes.ts'
import { count } from '../../terminal/format.ts'
import { timeOf } from '../../terminal/time-option.ts'

const findingAnswer = fields({
  level: text,
  kind: text,
  org: maybe(text),
  key: maybe(text),
  message: text,
  hash: maybe(text),
})

interface VerifyOptions {
  readonly since?: string
  readonly expect?: readonly string[]
}

/** With --json, one finding per line. */
export async function verifyAudit(
  session: Session,
  _args: readonly string[],
  { since, expect }: VerifyOptions,
): Promise<number> {
  const { output } = session
  const client = await session.client()
  const query = { since: timeOf('since', since, session.world.now()), expect }
  const reply = await client.send('GET', '/v1/audit/verify', {
    query,
    accept: 'application/x-ndjson',
    idleMs: 0,
  })
  let errors = 0
  for await (const line of jsonLines(reply)) {
    const error: unknown = typeof line === 'object' && line !== null ? Reflect.get(line, 'error') : undefined
    if (error !== undefined) throw errorOfProblem(error)
    const finding = check(findingAnswer, line)
    if (finding.level === 'error') errors++
    if (output.asJson) output.jsonLine(line)
    else show(session, finding)
  }
  if (errors > 0) output.note(`${count(errors, 'error')}: the records of these times are not what was sealed`)
  else output.note('no errors; keep the newest hashes outside of the bucket, and check them with --expect')
  return errors > 0 ? EXIT.found : EXIT.ok
}

const colours = { ok: 'green', info: 'cyan', error: 'red' } as const

function show({ output }: Session, finding: Of<typeof findingAnswer>): void {
  const { level, key, org, message, hash } = finding
  const colour = colours[level as keyof typeof colours] ?? 'cyan'
  output.print(
    `${output.style(colour, level.padEnd(6))}${oneLine(`${key ?? org ?? 'the server'}: ${message}`)}\n`,
  )
  if (hash !== null) output.say(`      ${finding.kind === 'chain' ? 'newest' : 'expected'} hash ${hash}`)
}
