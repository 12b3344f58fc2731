import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import type { Engine } from './engines.ts'
import { runShell, runTaco, startTaco } from './taco.ts'
import type { Child, Finished } from './child.ts'
import { tempFolder } from './temp.ts'

/** A checkout with a taco.yaml, and `taco` run in it. */
export interface Repository {
  readonly root: string
  taco(...args: readonly string[]): Promise<Finished>
  /** What it printed; anything but success fails the test. */
  must(...args: readonly string[]): Promise<string>
  start(...args: readonly string[]): Child
  write(path: string, text: string): Promise<void>
  /** A command that the program told its user to run. */
  shell(command: string): Promise<string>
}

export async function makeRepository(
  engine: Engine,
  target: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>>,
): Promise<Repository> {
  const root = await tempFolder()
  const env = { ...target, TF_CLI_CONFIG_FILE: join(root, 'cli.tfrc'), CHECKPOINT_DISABLE: '1' }
  const options = { cwd: root, env: { ...env, TACO_ENGINE: engine.path } }
  const taco = (...args: readonly string[]) => runTaco(args, options)
  async function write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  for (const [path, text] of Object.entries({ 'cli.tfrc': '', ...files })) await write(path, text)
  return {
    root,
    taco,
    async must(...args) {
      const { code: exit, output, stdout } = await taco(...args)
      expect({ args, exit, output: exit === 0 ? '' : output }).toEqual({ args, exit: 0, output: '' })
      return stdout
    },
    start: (...args) => startTaco(args, options),
    write,
    async shell(command) {
      const { code, output } = await runShell(command, options)
      expect({ command, code, output: code === 0 ? '' : output }).toEqual({ command, code: 0, output: '' })
      return output
    },
  }
}
