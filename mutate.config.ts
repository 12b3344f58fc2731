import { defineConfig } from 'vitest/config'

/** For `npm run mutate`: the tests that mutants have to survive. */
const tests = process.env['TACO_MUTATE_TESTS'] || 'src/**/*.test.ts'

export default defineConfig({
  test: { include: tests.split(','), testTimeout: 60_000, hookTimeout: 120_000 },
})
