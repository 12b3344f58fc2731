import type { Session } from '../session.ts'

/**
 * The command line as data: parsing, help and completion are all read from it. Own code instead of a library,
 * because a command must not take much longer than starting Node does, and loading one is a quarter of that.
 */
export interface CommandSpec {
  readonly name: string
  readonly alias?: string
  readonly says: string
  readonly args?: readonly ArgSpec[]
  readonly options?: readonly OptionSpec[]
  readonly example?: string
  /** A group has children, a command has `run`; one that has both runs if no child is named. */
  readonly children?: readonly CommandSpec[]
  readonly run?: Handler
  /** The command waits for signals itself: it has something to close in order. */
  readonly ownsSignals?: boolean
  /** It may be the first command that a bucket sees; any other refuses a folder that is not there. */
  readonly makesBucket?: boolean
}

export interface ArgSpec {
  readonly name: string
  readonly says?: string
  readonly optional?: boolean
  /** What it may be, for completion; the command itself checks it. */
  readonly choices?: readonly string[]
  /** Takes all that is left, options of other programs included. */
  readonly rest?: boolean
  /** The last one: any number of them, with options before, between and after. */
  readonly many?: boolean
}

export interface OptionSpec {
  /** The long name without dashes. */
  readonly name: string
  readonly short?: string
  readonly says: string
  /** The placeholder of the value in help; an option without one is a switch. */
  readonly value?: string
  /** A switch that may have a value: only as `--name=value`. */
  readonly valueOptional?: boolean
  readonly many?: boolean
  readonly isNumber?: boolean
  readonly choices?: readonly string[]
  readonly env?: string
  readonly fallback?: string
  /** `--no-name` is understood, too. */
  readonly negatable?: boolean
  /** On unless turned off: what people write, and read about, is `--no-name`. */
  readonly isOn?: boolean
}

/** Understood everywhere. */
export const helpOption: OptionSpec = { name: 'help', short: 'h', says: 'show help' }

/** A command's code. A number is the exit code; nothing means 0. */
export type Handler<O = object> = (
  session: Session,
  args: readonly string[],
  options: O,
) => Promise<number | void>

/** The options that a handler reads are those its spec lists; nothing checks that but the tests. */
export function command<O>(
  spec: Omit<CommandSpec, 'run' | 'children'> & { readonly run: Handler<O> },
): CommandSpec {
  return { ...spec, run: spec.run as Handler }
}

export const unitArg: ArgSpec = { name: 'unit', says: 'name or id' }
export const yesOption: OptionSpec = { name: 'yes', short: 'y', says: 'do not ask' }
export const lockOption: OptionSpec = { name: 'lock', value: 'id', says: 'under this lock, which you hold' }
export const messageOption: OptionSpec = {
  name: 'message',
  short: 'm',
  value: 'text',
  says: 'why, for the history',
}
export const keepOptions: readonly OptionSpec[] = [
  { name: 'keep-versions', value: 'count', isNumber: true, says: 'keep at least this many versions' },
  { name: 'keep-days', value: 'days', isNumber: true, says: 'keep every version younger than this' },
]

/** The name under which help, completion and advice speak of an option. */
export function longOf({ name, isOn }: OptionSpec): string {
  return isOn === true ? `--no-${name}` : `--${name}`
}

/** Every command and group with its path, the root first. */
export function* allCommands(
  spec: CommandSpec,
  path: readonly string[] = [],
): Generator<{ path: readonly string[]; spec: CommandSpec }> {
  yield { path, spec }
  for (const child of spec.children ?? []) yield* allCommands(child, [...path, child.name])
}
