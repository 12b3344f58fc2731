// How much of the code the tests would miss: `npm run mutate [file …]`. Each change of the source that no test notices
// is printed. Takes minutes for each file, so it is no part of the checks.

import { existsSync } from 'node:fs'
import { own, run } from './run.mjs'

const files = process.argv.slice(2)
const unknown = files.filter((file) => !existsSync(file))
if (unknown.length > 0) {
  console.error(`no such file: ${unknown.join(', ')}`)
  process.exit(2)
}
// Mutants run against the tests beside their file, or those of its folder: all others take too long to run for each.
const tests = files.map((file) => {
  const beside = file.replace(/\.ts$/, '.test.ts')
  return existsSync(beside) ? beside : file.replace(/[^/]*$/, '*.test.ts')
})
const { code } = await run(
  [own('stryker'), 'run', ...(files.length === 0 ? [] : ['--mutate', files.join(',')])],
  {
    show: true,
    env: { TACO_MUTATE_TESTS: [process.env['TACO_MUTATE_TESTS'], ...tests].filter(Boolean).join(',') },
  },
)
process.exitCode = code
