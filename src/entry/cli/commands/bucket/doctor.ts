import { TacoError } from '../../../../base/errors.ts'
import { doctorAnswer } from '../../api/answers.ts'
import { jsonLines, ofWholeServer } from '../../api/client.ts'
import { EXIT } from '../../terminal/exit-codes.ts'
import { checkConfig, checkEngines, checkNode, checkServer, checkTokenFile, finding } from './own-checks.ts'
import type { Finding } from './own-checks.ts'
import { errorOfProblem } from '../../api/server-error.ts'
import type { Session } from '../../session.ts'
import { check } from '../../api/check-answer.ts'
import { shownTarget } from '../../config/shown-target.ts'
import { oneLine } from '../../../../base/text/terminal-text.ts'
import { count } from '../../terminal/format.ts'

interface DoctorOptions {
  readonly deep?: boolean
  readonly repair?: boolean
}

/** Goes from near to far: this program, the way to the server, the server, its bucket. With --json, one finding per line. */
export async function doctor(
  session: Session,
  _args: readonly string[],
  options: DoctorOptions,
): Promise<number> {
  const totals = { ok: 0, info: 0, warning: 0, error: 0, repaired: 0 }
  const tell = (one: Finding) => {
    if (one.repaired) totals.repaired++
    else if (one.level in totals) totals[one.level as keyof typeof totals]++
    show(session, one)
  }
  tell(checkNode(process.versions.node))
  tell(checkConfig(session))
  for (const one of checkTokenFile(session.flags.tokenFile ?? session.world.env['TACO_TOKEN_FILE'])) tell(one)
  for (const one of await checkEngines(session)) tell(one)
  try {
    tell(await sayTarget(session))
    for (const one of await checkServer(session)) tell(one)
    for await (const one of bucketFindings(session, options)) tell(one)
  } catch (error) {
    if (!(error instanceof TacoError)) throw error
    tell(finding('error', 'server.answers', error.message, adviceOf(error)))
  }
  const { ok, info, ...bad } = totals
  if (session.output.asJson) session.output.jsonLine({ summary: totals })
  else session.output.say(summary(bad, ok + info))
  return totals.error > 0 ? EXIT.found : EXIT.ok
}

/** Other commands send people here, who must not be sent on to where they are. */
function adviceOf({ hint }: TacoError): string | undefined {
  if (hint?.includes('`taco doctor`') !== true) return hint
  return "Check the address, the port and the network. The server's log may say more."
}

async function sayTarget(session: Session): Promise<Finding> {
  const { kind, address, from } = await shownTarget(session)
  const because = {
    flag: 'named on the command line',
    environment: 'named in the environment',
    remembered: 'set by `taco use`',
    default: 'the default',
  }
  return finding(
    'ok',
    'cli.target',
    `The ${kind} is ${address} (${because[from]}), the organization "${session.org()}".`,
  )
}

async function* bucketFindings(session: Session, options: DoctorOptions): AsyncGenerator<Finding> {
  const client = await session.client()
  const progress = session.progress(
    options.deep === true ? 'reading everything back:' : 'looking at the bucket:',
  )
  let seen = 0
  try {
    const json = { deep: options.deep === true, repair: options.repair === true }
    const reply = await client.send('POST', '/v1/doctor', {
      query: ofWholeServer,
      json,
      accept: 'application/x-ndjson',
      idleMs: 0,
    })
    for await (const line of jsonLines(reply)) {
      const error: unknown =
        typeof line === 'object' && line !== null ? Reflect.get(line, 'error') : undefined
      if (error !== undefined) throw errorOfProblem(error)
      if (typeof line === 'object' && line !== null && 'summary' in line) continue
      progress.done()
      yield check(doctorAnswer, line)
      progress.say(count(++seen, 'finding'))
    }
  } finally {
    progress.done()
  }
}

const marks = {
  ok: ['ok', 'green'],
  info: ['info', 'cyan'],
  warning: ['warning', 'yellow'],
  error: ['error', 'red'],
} as const

function show({ output }: Session, one: Finding): void {
  if (output.asJson) return output.jsonLine(one)
  const [word, colour] = one.repaired
    ? (['repaired', 'green'] as const)
    : (marks[one.level as keyof typeof marks] ?? marks.info)
  const about = one.unit === null ? '' : `${one.unit}: `
  output.print(`${output.style(colour, word.padEnd(8))}  ${oneLine(about + one.message)}\n`)
  if (one.hint !== null && one.level !== 'ok' && !one.repaired) output.say(`${' '.repeat(10)}→ ${one.hint}`)
}

function summary(
  bad: { readonly warning: number; readonly error: number; readonly repaired: number },
  fine: number,
): string {
  const parts = [
    ...(bad.error > 0 ? [count(bad.error, 'error')] : []),
    ...(bad.warning > 0 ? [count(bad.warning, 'warning')] : []),
    ...(bad.repaired > 0 ? [`${count(bad.repaired, 'thing')} put right`] : []),
  ]
  return parts.length === 0
    ? `no problems found (${count(fine, 'check')})`
    : `${parts.join(', ')}; ${count(fine, 'check')} fine`
}
