import { styleText } from 'node:util'
import { isTacoError } from '../../base/errors.ts'
import { complete } from './completion/complete.ts'
import { complain } from './terminal/print-error.ts'
import { EXIT, exitCodeHelp, exitCodeOf, interrupted } from './terminal/exit-codes.ts'
import { helpOf } from './spec/help.ts'
import { isColourful } from './terminal/output.ts'
import { parseArgs } from './spec/parse-args.ts'
import type { Parsed } from './spec/parse-args.ts'
import { program } from './program.ts'
import { openSession } from './session.ts'
import type { GlobalFlags } from './config/settings.ts'
import type { CommandSpec } from './spec/spec.ts'
import type { Screen, World } from './world.ts'

/** Runs one command line and gives its exit code. Never throws, never exits. */
export async function runCli(args: readonly string[], world: World): Promise<number> {
  // For shell completion; not shown in help.
  if (args[0] === '__complete') {
    await complete(program, args.slice(args[1] === '--' ? 2 : 1), world)
    return EXIT.ok
  }
  let parsed: Parsed
  try {
    parsed = parseArgs(program, args, world.env)
  } catch (error) {
    return complain(world, roughFlags(args), error)
  }
  const { spec, path, help, flags } = parsed
  if (flags['version'] === true) {
    world.stdout.write(`${world.version()}\n`)
    return EXIT.ok
  }
  if (help) return showHelp(world, world.stdout, spec, path, flags)
  if (spec.run !== undefined) return await carryOut(spec, parsed, world)
  showHelp(world, world.stderr, spec, path, flags)
  return EXIT.usage
}

async function carryOut(spec: CommandSpec, { args, options, flags }: Parsed, world: World): Promise<number> {
  const stop = new AbortController()
  let isEndless = false
  const session = openSession({
    world,
    flags,
    signal: stop.signal,
    makesBucket: spec.makesBucket === true,
    isDryRun: options['dryRun'] === true,
    goOnUntilInterrupted: () => (isEndless = true),
  })
  let giveUp: (reason: Error) => void = () => {}
  const stopped = new Promise<never>((_resolve, reject) => (giveUp = reject))
  const release =
    spec.ownsSignals === true
      ? () => {}
      : world.onSignal((signal) => {
          giveUp(interrupted(signal))
          stop.abort()
        })
  let code: number
  try {
    code = (await Promise.race([spec.run?.(session, args, options), stopped])) ?? EXIT.ok
  } catch (error) {
    code = isEndless && isTacoError(error, 'CANCELLED') ? exitCodeOf(error) : complain(world, flags, error)
  }
  // A second Ctrl-C ends a close that hangs.
  release()
  try {
    await session.close()
  } catch (error) {
    return code === EXIT.ok ? complain(world, flags, error) : code
  }
  return code
}

function showHelp(
  world: World,
  screen: Screen,
  spec: CommandSpec,
  path: readonly string[],
  flags: GlobalFlags,
): number {
  const bold = (text: string) =>
    isColourful(screen, world.env, flags) ? styleText('bold', text, { validateStream: false }) : text
  const width = screen.isTTY === true ? (screen.columns ?? 80) : 100
  screen.write(helpOf(program, spec, path, { width, bold }))
  if (spec === program) screen.write(`\n${exitCodeHelp}\n`)
  return EXIT.ok
}

/** For the one error that comes before the options are understood. */
function roughFlags(args: readonly string[]): GlobalFlags {
  const end = args.indexOf('--')
  const own = end === -1 ? args : args.slice(0, end)
  return { json: own.includes('--json'), debug: own.includes('--debug'), color: !own.includes('--no-color') }
}
