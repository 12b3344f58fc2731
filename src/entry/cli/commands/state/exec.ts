import type { ChildProcess } from 'node:child_process'
import { TacoError, messageOf, reasonOf } from '../../../../base/errors.ts'
import { lockAnswer } from '../../api/answers.ts'
import { systemClock } from '../../../../base/clock.ts'
import { backendUrl } from '../../../../engines/index.ts'
import { backendEnv, during, takeRunToken, withVariables } from '../../../../runner/index.ts'
import { unitPath } from '../../api/client.ts'
import { variablesOf } from '../../api/variable-answers.ts'
import { usageError } from '../../terminal/exit-codes.ts'
import { openBackend } from '../../api/run-backend.ts'
import type { RunBackend } from '../../api/run-backend.ts'
import { saysTokenLeft } from '../../terminal/runner-events.ts'
import { traceLog } from '../../terminal/trace-log.ts'
import type { Session } from '../../session.ts'
import { check, fields, maybe } from '../../api/check-answer.ts'
import { checkNames } from '../../config/unit-name.ts'
import type { Signal, World } from '../../world.ts'

/** The backend outlives the command: an engine that is interrupted still stores its state and unlocks. */
export async function exec(
  session: Session,
  [unit = '', program, ...args]: readonly string[],
): Promise<number> {
  if (program === undefined)
    throw usageError(
      'The command to run is missing.',
      'Write it after "--": `taco exec prod/network -- tofu plan`.',
    )
  await checkNames(session, unit)
  // Without a server the backend is here, and an engine needs it until it has stored what it made.
  session.world.goOnUnread()
  const { url, env, run, isOwnLock, tokens } = await openBackend(session)
  const own = await takeRunToken(tokens, unit, {
    clock: systemClock,
    log: traceLog(session.output),
    onLeft: (left) => session.output.warn(saysTokenLeft(left)),
  })
  const backend = backendEnv(backendUrl(url, session.org(), unit), own.token, run)
  session.output.trace(`TF_HTTP_ADDRESS=${backend['TF_HTTP_ADDRESS'] ?? ''}`)
  const code = await during(own, async () => {
    const isServer = session.target().kind === 'server'
    const { items } = await variablesOf(await session.client(), unit, isServer ? own.token : undefined)
    return withVariables({ items, env, program, args }, (given) =>
      runChild(session.world, program, args, { ...given, ...backend }),
    )
  })
  if (code !== 0) await mentionLock(session, unit, isOwnLock)
  return code
}

/** An engine that was killed leaves its lock: better said now than found out by the next one. */
async function mentionLock(
  session: Session,
  unit: string,
  isOwnLock: RunBackend['isOwnLock'],
): Promise<void> {
  try {
    const client = await session.client()
    const { lock } = check(
      fields({ lock: maybe(lockAnswer) }),
      await client.json('GET', unitPath(unit, '/lock')),
    )
    if (lock === null || !isOwnLock(lock)) return
    session.output.warn(
      `${unit} is still locked (${lock.id}); if nothing is running, release it with \`taco unlock ${unit} --force\``,
    )
  } catch (error) {
    session.output.trace(`the lock could not be checked: ${messageOf(error)}`)
  }
}

/**
 * A terminal sends Ctrl-C to the child as well, and both engines take a second interrupt for "stop at once,
 * without unlocking": so on a terminal SIGINT and SIGHUP are left to it. Without one the child gets a group of
 * its own, so that a signal sent to our whole group reaches it once, through us.
 */
async function runChild(
  world: World,
  program: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<number> {
  const onTerminal = world.stdin.isTTY === true || world.stdout.isTTY === true || world.stderr.isTTY === true
  const { spawn } = await import('node:child_process')
  const { constants } = await import('node:os')
  const child = spawn(program, [...args], {
    cwd: world.cwd,
    env,
    stdio: stdioFor(world),
    detached: !onTerminal,
  })
  pipeOwn(world, child)
  const release = world.onSignal((signal: Signal) => {
    if (!onTerminal || signal === 'SIGTERM') child.kill(signal)
  })
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', (error) => reject(cannotStart(program, error)))
      child.once('close', (code, signal) =>
        resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]),
      )
    })
  } finally {
    release()
  }
}

function stdioFor(world: World): ('inherit' | 'pipe')[] {
  return [
    world.stdin === process.stdin ? 'inherit' : 'pipe',
    world.stdout === process.stdout ? 'inherit' : 'pipe',
    world.stderr === process.stderr ? 'inherit' : 'pipe',
  ]
}

function pipeOwn(world: World, child: ChildProcess): void {
  if (child.stdin !== null) world.stdin.pipe(child.stdin)
  child.stdout?.pipe(world.stdout, { end: false })
  child.stderr?.pipe(world.stderr, { end: false })
}

/** 127 and 126 are what shells answer. */
function cannotStart(program: string, error: Error): TacoError {
  const absent = 'code' in error && error.code === 'ENOENT'
  return new TacoError(
    'UNEXPECTED',
    absent ? `There is no command ${program}.` : `Cannot run ${program}: ${reasonOf(error)}.`,
    {
      hint: absent ? 'Install it, or give its full path.' : 'Check that the file exists and is executable.',
      facts: { exitCode: absent ? 127 : 126 },
      cause: error,
    },
  )
}
