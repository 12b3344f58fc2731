// Everything that can be checked without running the code: `npm run check [name …]`.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { checkPackage } from './check-package.mjs'
import { faultsOfLockfile } from './lockfile.mjs'
import { own, root, run, seconds } from './run.mjs'

/** @typedef {{ code: number, output: string }} Outcome */

/** @type {ReadonlyMap<string, () => Promise<Outcome>>} */
const checks = new Map([
  ['types', () => run([own('tsc'), '--noEmit', '-p', '.'])],
  ['types of scripts for browsers', () => run([own('tsc'), '--noEmit', '-p', 'src/entry/http/web/assets'])],
  ['lint', () => run([own('oxlint'), '--type-aware', '--deny-warnings'])],
  ['format', () => run([own('oxfmt'), '--check'])],
  ['layers', checkLayers],
  ['dead code', () => run([own('knip')])],
  ['package', checkPackage],
  ['lockfile', checkLockfile],
])

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !checks.has(name))
if (unknown.length > 0) {
  console.error(`no such check: ${unknown.join(', ')}\nhint: there are ${[...checks.keys()].join(', ')}`)
  process.exit(2)
}
const queue = [...checks].filter(([name]) => wanted.length === 0 || wanted.includes(name))
let failed = 0
// Two at a time: most of them use one core.
await Promise.all([worker(), worker()])
console.log(failed === 0 ? 'all checks passed' : `${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

async function worker() {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [name, check] = next
    const started = performance.now()
    const { code, output } = await check().catch((error) => ({
      code: 1,
      output: String(error.stack ?? error),
    }))
    if (code !== 0) failed++
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name.padEnd(10)} ${seconds(started)}`)
    if (code !== 0) console.log(output.trimEnd().replaceAll(/^/gm, '  '))
  }
}

/** Cruising nothing is not passing: the cruiser reports success when it could not read the sources. */
async function checkLayers() {
  const { code, output } = await run([own('depcruise'), 'src', 'test', 'bench'])
  const cruised = Number(/(\d+) modules/.exec(output)?.[1] ?? 0)
  const files = ['src', 'test', 'bench'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    ),
  ).length
  if (cruised >= files) return { code, output }
  return { code: 1, output: `${output}\nonly ${cruised} modules were cruised, and there are ${files} files` }
}

async function checkLockfile() {
  const faults = await faultsOfLockfile()
  const hint = 'hint: choose versions that the registry has for every platform (`overrides` in package.json)'
  return { code: faults.length === 0 ? 0 : 1, output: [...faults, hint].join('\n') }
}
