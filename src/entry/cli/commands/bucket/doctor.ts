import { TacoError } from '../../../../base/errors.ts'
import { doctorAnswer } from '../../api/answers.ts'
import { jsonLines, ofWholeServer } from '../../api/client.ts'
import { showFinding, summary } from './show-findings.ts'
import { showLast, startInBackground } from './background-doctor.ts'
import { EXIT } from '../../terminal/exit-codes.ts'
import { checkConfig, checkEngines, checkNode, checkServer, checkTokenFile, finding } from './own-checks.ts'
import type { Finding } from './own-checks.ts'
import { errorOfProblem } from '../../api/server-error.ts'
import type { Session } from '../../session.ts'
import { check } from '../../api/check-answer.ts'
import { shownTarget } from '../../config/shown-target.ts'
import { count } from '../../terminal/format.ts'

interface DoctorOptions {
  readonly deep?: boolean
  readonly repair?: boolean
  readonly background?: boolean
  readonly last?: boolean
}

/** Goes from near to far: this program, the way to the server, the server, its bucket. With --json, one finding per line. */
export async function doctor(
  session: Session,
  _args: readonly string[],
  options: DoctorOptions,
): Promise<number> {
  if (options.last === true) return showLast(session, options)
  if (options.background === true) return startInBackground(session, options)
  const totals = { ok: 0, info: 0, warning: 0, error: 0, repaired: 0 }
  const tell = (one: Finding) => {
    if (one.repaired) totals.repaired++
    else if (one.level in totals) totals[one.level as keyof typeof totals]++
    showFinding(session, one)
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
