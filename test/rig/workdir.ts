import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { endedWithTest, runChild, startChild, type Child, type Finished } from './child.ts'
import type { Engine } from './engines.ts'
import { tempFolder } from './temp.ts'

/** A folder with a configuration, and an engine to run in it. */
export interface Workdir {
  readonly folder: string
  write(name: string, text: string): Promise<void>
  /** `input`: what a person would type. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>, input?: string): Promise<Finished>
  /** As `run`, and fails the test when the engine fails. */
  must(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Finished>
  start(args: readonly string[], env?: Readonly<Record<string, string>>): Child
  /** Shields the engine from the settings of the person who runs the tests. */
  readonly env: Readonly<Record<string, string>>
}

export async function workdir(
  engine: Engine,
  main: string,
  extra: Readonly<Record<string, string>> = {},
): Promise<Workdir> {
  const home = await tempFolder()
  const folder = join(home, 'code')
  await mkdir(folder)
  await writeFile(join(home, 'cli.tfrc'), '')
  await writeFile(join(folder, 'main.tf'), main)
  const env = {
    HOME: home,
    TF_CLI_CONFIG_FILE: join(home, 'cli.tfrc'),
    TF_IN_AUTOMATION: '1',
    TF_INPUT: '0',
    CHECKPOINT_DISABLE: '1',
    ...extra,
  }
  const run: Workdir['run'] = (args, more, input) =>
    runChild(engine.path, args, {
      cwd: folder,
      env: { ...env, ...more },
      ...(input === undefined ? {} : { input }),
    })
  return {
    folder,
    env,
    run,
    write: (name, text) => writeFile(join(folder, name), text),
    start: (args, more) =>
      endedWithTest(startChild(engine.path, args, { cwd: folder, env: { ...env, ...more } })),
    must: async (args, more) => {
      const finished = await run(args, more)
      if (finished.code !== 0) {
        throw new Error(`${engine.name} ${args.join(' ')} ended with ${finished.code}:\n${finished.output}`)
      }
      return finished
    },
  }
}
