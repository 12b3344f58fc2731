import { basename } from 'node:path'
import { expressionFile } from '../../engines/index.ts'
import type { RunVariable } from '../../variables/index.ts'
import { variablesOfEnv } from '../run-variables.ts'
import { openRunFolder, removeAbandoned } from './run-folder.ts'

interface Command {
  /** The variables that apply to the unit. */
  readonly items: readonly RunVariable[]
  /** Of the shell. */
  readonly env: Readonly<Record<string, string>>
  readonly program: string
  readonly args: readonly string[]
}

/**
 * Runs a command of a person with the variables of a unit. The command may be an engine or a script that calls some, so
 * everything goes through the environment: `TF_VAR_…` for every engine, and for commands that take it also a file, which
 * is stronger than the files in the folder. Values are in no argument, and the file is gone with the command.
 */
export async function withVariables<T>(
  command: Command,
  work: (env: Record<string, string>) => Promise<T>,
): Promise<T> {
  const { items, env } = command
  const isTaken = applies(command) !== 'saved'
  const used = items.filter((one) => isTaken && isStronger(one, env))
  const given = { ...env, ...variablesOfEnv(items), ...inVariables(used) }
  if (used.length === 0) return work(given)
  removeAbandoned(Date.now())
  const folder = openRunFolder()
  try {
    const file = folder.open().write('variables.tfvars', expressionFile(used))
    return await work({ ...given, ...inArguments(command, file) })
  } finally {
    folder.remove()
  }
}

/** What a person exports is stronger than what is stored, unless that has priority. */
function isStronger({ category, key, priority }: RunVariable, env: Command['env']): boolean {
  return category === 'terraform' && (priority || env[`TF_VAR_${key}`] === undefined)
}

function inVariables(used: readonly RunVariable[]): Record<string, string> {
  return Object.fromEntries(used.map(({ key, value }) => [`TF_VAR_${key}`, value]))
}

const COMMANDS = ['init', 'plan', 'refresh', 'import', 'console', 'test', 'destroy', 'query']

/** Engines take these before their own arguments, so `-var` on the command line is stronger. */
function inArguments(command: Command, file: string): Record<string, string> {
  const commands = applies(command) === 'code' ? [...COMMANDS, 'apply'] : COMMANDS
  return Object.fromEntries(
    commands.map((name) => {
      const own = command.env[`TF_CLI_ARGS_${name}`]
      return [`TF_CLI_ARGS_${name}`, `"-var-file=${file}"${own === undefined ? '' : ` ${own}`}`]
    }),
  )
}

/** Options of `apply` that are followed by a value. */
const WITH_VALUE =
  /^--?(var|var-file|target|target-file|exclude|exclude-file|replace|state|state-out|backup|lock-timeout|parallelism)$/

/**
 * A saved plan has its variables: engines refuse to be given others, and some refuse any. Undefined: it applies nothing,
 * or it is a script, of which we cannot know.
 */
function applies({ program, args }: Command): 'code' | 'saved' | undefined {
  const at = args.indexOf('apply')
  if (at === -1 || !/^(tofu|terraform)(\.exe)?$/.test(basename(program))) return undefined
  const isFile = (arg: string, i: number, all: readonly string[]) =>
    !arg.startsWith('-') && !WITH_VALUE.test(all[i - 1] ?? '')
  return args.slice(at + 1).some(isFile) ? 'saved' : 'code'
}
