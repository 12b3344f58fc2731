/** The program in `go-tfe/`, which uses go-tfe the way scripts do. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'
import { leaveOut, onPath, toolchainFolder } from './toolchain.ts'

const run = promisify(execFile)
const source = fileURLToPath(new URL('./go-tfe', import.meta.url))

/** The public key of a pair that nobody has any more. */
export const WALK_KEY = {
  id: 'E4A5E17E46B5364A',
  armor: readFileSync(path.join(source, 'key.asc'), 'utf8'),
}

const Result = z.object({ service: z.string(), step: z.string(), error: z.string().optional() })
export type WalkResult = z.infer<typeof Result>

/** Undefined: there is no Go here, which is put on the list of what was left out. */
export async function buildWalk(): Promise<string | undefined> {
  const target = path.join(toolchainFolder(), 'bin', `go-tfe-walk-${sourceHash()}`)
  if (existsSync(target)) return target
  if (!onPath('go')) {
    leaveOut('go-tfe', 'go is not on PATH')
    return undefined
  }
  await mkdir(path.dirname(target), { recursive: true })
  const built = `${target}.${process.pid}`
  await run('go', ['build', '-o', built, '.'], {
    cwd: source,
    env: { ...process.env, CGO_ENABLED: '0' },
    maxBuffer: 2 ** 26,
  })
  await rename(built, target)
  return target
}

function sourceHash(): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(source).toSorted())
    hash.update(name).update(readFileSync(path.join(source, name)))
  return hash.digest('hex').slice(0, 12)
}

/** Every step that the program took. */
export async function walkServices(
  program: string,
  env: Readonly<Record<string, string>>,
): Promise<readonly WalkResult[]> {
  const { stdout } = await run(program, { env: { PATH: process.env['PATH'], ...env }, maxBuffer: 2 ** 26 })
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => Result.parse(JSON.parse(line)))
}
