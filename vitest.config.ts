import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/**
 * How long a test looks for what it waits for. No test says how fast something must be, so these end nothing but a
 * test that hangs: a busy machine may take many times as long as an idle one.
 */
const patience = { expect: { poll: { timeout: 30_000 } }, hookTimeout: 120_000 }

/** From the quick and narrow to the slow and wide; `npm test` runs them in this order. */
export default defineConfig({
  test: {
    // By default vitest leaves one core idle, which is half of a small machine.
    maxWorkers: availableParallelism(),
    projects: [
      {
        test: {
          ...patience,
          name: 'unit',
          include: [
            'src/**/*.test.ts',
            'tools/**/*.test.ts',
            'test/cli/**/*.test.ts',
            'test/rig/**/*.test.ts',
            'test/peers/**/*.test.ts',
            'bench/**/*.test.ts',
          ],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          ...patience,
          name: 'contract',
          include: ['test/contract/**/*.test.ts'],
          testTimeout: 120_000,
        },
      },
      {
        test: { ...patience, name: 'chaos', include: ['test/chaos/**/*.test.ts'], testTimeout: 300_000 },
      },
      {
        test: { ...patience, name: 'e2e', include: ['test/e2e/**/*.test.ts'], testTimeout: 300_000 },
      },
    ],
  },
})
