// `npm ci` insists that the lockfile names every optional package, also those of other platforms. npm leaves out of it
// what the registry at hand does not have, and then refuses its own lockfile. This puts the names back; they are
// installed on the platform they are for, and nowhere else.
//
//   node tools/lockfile.mjs [--write]

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './run.mjs'

const path = join(root, 'package-lock.json')

/** Names of packages that the lockfile depends on and does not list; with `write`, none are left. */
export async function missingFromLockfile({ write = false } = {}) {
  const lock = JSON.parse(await readFile(path, 'utf8'))
  /** @type {Map<string, string>} */
  const missing = new Map()
  for (const { optionalDependencies = {} } of Object.values(lock.packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (lock.packages[`node_modules/${name}`] === undefined && isPlatform(name)) missing.set(name, version)
    }
  }
  if (write && missing.size > 0) {
    for (const [name, version] of missing) {
      lock.packages[`node_modules/${name}`] = { version, ...platformOf(name), dev: true, optional: true }
    }
    lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    await writeFile(path, `${JSON.stringify(lock, null, 2)}\n`)
  }
  return [...missing.keys()]
}

/** @param {string} name */
function isPlatform(name) {
  return platformOf(name).os !== undefined || name.endsWith('wasm32-wasi')
}

/**
 * `@oxlint/binding-linux-x64-musl` says all there is to know.
 *
 * @param {string} name
 * @returns {{ os?: string[], cpu?: string[], libc?: string[] }}
 */
function platformOf(name) {
  if (name.endsWith('wasm32-wasi')) return { cpu: ['wasm32'] }
  const found =
    /[/-](aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)-([a-z0-9]+)(?:-([a-z]+))?$/.exec(
      name,
    )
  if (found === null) return {}
  const [, os = '', cpu = '', abi = ''] = found
  const libc =
    os === 'linux' && abi.startsWith('musl')
      ? ['musl']
      : os === 'linux' && abi.startsWith('gnu')
        ? ['glibc']
        : undefined
  return { os: [os], cpu: [cpu], ...(libc === undefined ? {} : { libc }) }
}

if (process.argv[1] === import.meta.filename) {
  const write = process.argv.includes('--write')
  const names = await missingFromLockfile({ write })
  for (const name of names) process.stdout.write(`${write ? 'added' : 'missing'} ${name}\n`)
  process.exitCode = names.length > 0 && !write ? 1 : 0
}
