// What is wrong with package-lock.json that npm does not report.
//
// `npm ci` insists that the lockfile names every optional package, including those for other platforms. npm leaves out
// what the registry does not have, and then refuses its own lockfile. And it installs an entry without an integrity
// hash without checking anything. The remedy for both: choose versions that the registry has for every platform.
//
//   node tools/lockfile.mjs

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './run.mjs'

/** Faults of the lockfile, one line each. */
export async function faultsOfLockfile() {
  return lockfileFaults(JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')))
}

/**
 * @typedef {{
 *   version?: string, resolved?: string, integrity?: string, link?: boolean,
 *   optionalDependencies?: Record<string, string>
 * }} Entry
 * @param {{ packages: Record<string, Entry> }} lock
 */
export function lockfileFaults({ packages }) {
  /** @type {Set<string>} */
  const faults = new Set()
  for (const [path, { integrity, link, resolved, optionalDependencies = {} }] of Object.entries(packages)) {
    // The package itself has none.
    if (path !== '' && link !== true && integrity === undefined) faults.add(`${path} has no integrity`)
    if (resolved !== undefined) faults.add(`${path} names where it was downloaded`)
    for (const name of Object.keys(optionalDependencies)) {
      const isListed = Object.keys(packages).some((one) => one.endsWith(`node_modules/${name}`))
      if (!isListed && isPlatform(name)) faults.add(`node_modules/${name} is missing`)
    }
  }
  return [...faults]
}

/**
 * `@oxlint/binding-linux-x64-musl` is for one platform.
 *
 * @param {string} name
 */
function isPlatform(name) {
  return /[/-](aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)-[a-z0-9]+(-[a-z]+)?$|wasm32-wasi$/.test(
    name,
  )
}

if (process.argv[1] === import.meta.filename) {
  const faults = await faultsOfLockfile()
  for (const fault of faults) process.stdout.write(`${fault}\n`)
  process.exitCode = faults.length > 0 ? 1 : 0
}
