import { statSync } from 'node:fs'
import { promisify } from 'node:util'
import { messageOf, reasonOf } from '../../../../base/errors.ts'
import { serverAnswer } from '../../api/answers.ts'
import type { DoctorAnswer } from '../../api/answers.ts'
import { childEnv } from '../../../../runner/index.ts'
import { ofWholeServer } from '../../api/client.ts'
import { configPath } from '../../config/config-file.ts'
import type { Session } from '../../session.ts'
import { check } from '../../api/check-answer.ts'
import { duration } from '../../terminal/format.ts'

/** Same form as the findings of the API, so that both are shown and counted alike. */
export type Finding = DoctorAnswer

const skewWarningMs = 30_000
const minimumNode = [20, 19] as const

export function finding(level: Finding['level'], check: string, message: string, hint?: string): Finding {
  return { level, check, message, hint: hint ?? null, unit: null, org: null, repaired: false }
}

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isOld = major < minimumNode[0] || (major === minimumNode[0] && minor < minimumNode[1])
  return isOld
    ? finding(
        'error',
        'cli.node',
        `Node ${version} is too old.`,
        `Install Node ${minimumNode.join('.')} or newer.`,
      )
    : finding('ok', 'cli.node', `Node ${version} is supported.`)
}

/** Paths and addresses only, but who can write it chooses where states are sent. */
export function checkConfig(session: Session): Finding {
  const path = configPath(session.world)
  let mode: number
  try {
    mode = statSync(path).mode & 0o777
  } catch {
    return finding('ok', 'cli.config', '`taco use` has no default set.')
  }
  try {
    session.remembered()
  } catch (error) {
    return finding(
      'error',
      'cli.config',
      messageOf(error),
      'Run `taco use --forget`, then `taco use <address>` again.',
    )
  }
  return (mode & 0o077) === 0
    ? finding('ok', 'cli.config', `Only you can read ${path}.`)
    : finding(
        'warning',
        'cli.config',
        `Other users can access ${path} (mode ${mode.toString(8)}).`,
        `Run \`chmod 600 ${path}\`.`,
      )
}

export function checkTokenFile(path: string | undefined): readonly Finding[] {
  if (path === undefined) return []
  try {
    const mode = statSync(path).mode & 0o777
    return (mode & 0o077) === 0
      ? [finding('ok', 'cli.token-file', `Only you can read ${path}.`)]
      : [
          finding(
            'warning',
            'cli.token-file',
            `Other users can read the token in ${path} (mode ${mode.toString(8)}).`,
            `Run \`chmod 600 ${path}\`.`,
          ),
        ]
  } catch (error) {
    return [
      finding(
        'error',
        'cli.token-file',
        messageOf(error),
        'Name a file that holds the token with --token-file.',
      ),
    ]
  }
}

/** Asks the server for its time as well: leases and histories are read by people with their own clocks. */
export async function checkServer(session: Session): Promise<readonly Finding[]> {
  const client = await session.client()
  const before = session.world.now()
  const server = check(
    serverAnswer,
    await client.json('GET', '/v1/server', { query: ofWholeServer, idleMs: 10_000 }),
  )
  const after = session.world.now()
  const findings = [
    finding(
      'ok',
      'server.answers',
      `${client.label} answers in ${after - before} ms (bucket ${server.bucket.label}, auth ${server.auth}).`,
    ),
  ]
  const own = session.world.version()
  findings.push(
    server.version === own
      ? finding('ok', 'server.version', `The versions of taco and the server are both ${own}.`)
      : finding(
          'info',
          'server.version',
          `The version of taco is ${own}, that of the server is ${server.version}.`,
          'Install the same version on both sides.',
        ),
  )
  if (session.target().kind === 'server') findings.push(checkClock(Date.parse(server.time), before, after))
  return findings
}

export function checkClock(serverTime: number, before: number, after: number): Finding {
  const skew = serverTime - (before + after) / 2
  const said = duration(Math.abs(skew) / 1000)
  return Math.abs(skew) <= skewWarningMs + (after - before)
    ? finding('ok', 'clock.skew', `The clocks of this machine and the server agree (${said} apart).`)
    : finding(
        'warning',
        'clock.skew',
        `This machine's clock is ${said} ${skew > 0 ? 'behind' : 'ahead of'} the server's.`,
        'Synchronize both clocks with NTP.',
      )
}

/** An engine is needed to use a state, not to keep one. */
export async function checkEngines(session: Session): Promise<readonly Finding[]> {
  const found = (await Promise.all(['tofu', 'terraform'].map((name) => engine(session, name)))).flat()
  if (found.length > 0) return found
  return [
    finding(
      'info',
      'engines',
      'Neither tofu nor terraform is on the PATH.',
      'Install OpenTofu: see https://opentofu.org/docs/intro/install/.',
    ),
  ]
}

async function engine({ world }: Session, name: string): Promise<readonly Finding[]> {
  const env = Object.fromEntries(
    Object.entries(childEnv(world.env)).filter(([key]) => !key.startsWith('TF_CLI_ARGS')),
  )
  try {
    const { execFile } = await import('node:child_process')
    const { stdout } = await promisify(execFile)(name, ['version', '-json'], {
      timeout: 10_000,
      env: { ...env, CHECKPOINT_DISABLE: '1' },
    })
    const version: unknown = Reflect.get(Object(JSON.parse(stdout)), 'terraform_version')
    return [
      finding(
        'ok',
        `engines.${name}`,
        `The PATH has ${name} ${typeof version === 'string' ? version : 'of an unknown version'}.`,
      ),
    ]
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    return [
      finding(
        'warning',
        `engines.${name}`,
        `The program ${name} is on the PATH but does not run: ${reasonOf(error).split('\n')[0] ?? ''}.`,
        `Run \`${name} version\` to see why.`,
      ),
    ]
  }
}
