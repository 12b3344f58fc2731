import { fileURLToPath } from 'node:url'
import { endedWithTest, runChild, startChild, type Child, type ChildOptions, type Finished } from './child.ts'

export const executable = fileURLToPath(new URL('../../bin/taco', import.meta.url))

/** Runs the built program as a user would, with a separate home so that no settings leak in. */
export function runTaco(args: readonly string[], options: ChildOptions = {}): Promise<Finished> {
  return runChild(process.execPath, [executable, ...args], isolated(options))
}

/** A command line in which `taco` is the built program. */
export function runShell(command: string, options: ChildOptions = {}): Promise<Finished> {
  const script = `taco() { "${process.execPath}" "${executable}" "$@"; }; ${command}`
  return runChild('sh', ['-c', script], isolated(options))
}

export function startTaco(args: readonly string[], options: ChildOptions = {}): Child {
  return endedWithTest(startChild(process.execPath, [executable, ...args], isolated(options)))
}

function isolated(options: ChildOptions): ChildOptions {
  const home = options.env?.['HOME'] ?? options.cwd ?? '/nonexistent'
  return { ...options, env: { HOME: home, XDG_CONFIG_HOME: `${home}/.config`, ...options.env } }
}
