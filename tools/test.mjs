// `npm test [-- part …] [-- vitest options]`: builds, then runs the parts in order, from the quick and narrow to the
// slow and wide, and ends with what was left out and a line that counts.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isOnPath, own, run, seconds } from './run.mjs'

const parts = ['unit', 'contract', 'chaos', 'e2e']
const args = process.argv.slice(2)
const wanted = parts.filter((part) => args.includes(part))
const rest = args.filter((arg) => !parts.includes(arg))
const hasGo = isOnPath('go')

const folder = mkdtempSync(join(tmpdir(), 'opentaco-test-'))
const leftOutFile = join(folder, 'left-out')
const total = { passed: 0, failed: 0, skipped: 0 }
try {
  writeFileSync(leftOutFile, '')
  await step('build', [process.execPath, 'tools/build.mjs', '--if-stale'])
  if (hasGo && (wanted.length === 0 || wanted.some((part) => part !== 'unit'))) {
    await step('outside programs', [own('tsx'), 'test/peers/build-toolchain.ts'])
  }
  for (const part of wanted.length === 0 ? parts : wanted) await runPart(part)

  const leftOut = new Set(readFileSync(leftOutFile, 'utf8').split('\n').filter(Boolean))
  console.log(leftOut.size === 0 ? '\nnothing was left out' : '')
  for (const line of leftOut) console.log(`  left out: ${line}`)
  const needed = [...leftOut].filter((line) => !line.endsWith('(optional)'))
  if (needed.length > 0 && hasGo && process.env['CI'] === 'true') {
    console.log('on this machine nothing may be left out')
    total.failed++
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
process.exitCode = total.failed === 0 ? 0 : 1

/**
 * @param {string} name
 * @param {readonly string[]} command
 */
async function step(name, command) {
  const { code } = await run(command, { show: true })
  if (code === 0) return
  rmSync(folder, { recursive: true, force: true })
  console.log(`\n${name} failed\n0 passed, 1 failed, 0 skipped`)
  process.exit(1)
}

/** @param {string} part */
async function runPart(part) {
  console.log(`\n== ${part}`)
  const started = performance.now()
  const report = join(folder, `${part}.json`)
  const { code } = await run(
    [
      own('vitest'),
      'run',
      '--project',
      part,
      '--passWithNoTests',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...rest,
    ],
    { show: true, env: { TACO_LEFT_OUT: leftOutFile } },
  )
  const counts = countsIn(report)
  // A file that does not even load, or an unhandled error, fails the run without failing a test.
  if (code !== 0 && counts.failed === 0) counts.failed = 1
  total.passed += counts.passed
  total.failed += counts.failed
  total.skipped += counts.skipped
  console.log(
    `${part}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped in ${seconds(started)}`,
  )
}

/** @param {string} report */
function countsIn(report) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(
      readFileSync(report, 'utf8'),
    )
    return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests }
  } catch {
    return { passed: 0, failed: 0, skipped: 0 }
  }
}
