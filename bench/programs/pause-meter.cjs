// Loaded into a server before its own code: on SIGUSR2 it writes the longest pause of the event loop since the last
// time, in milliseconds, into the file that TACO_PAUSES names.
const { renameSync, writeFileSync } = require('node:fs')
const { monitorEventLoopDelay } = require('node:perf_hooks')
const { isMainThread } = require('node:worker_threads')

if (isMainThread && process.env.TACO_PAUSES !== undefined) {
  const path = process.env.TACO_PAUSES
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  process.on('SIGUSR2', () => {
    writeFileSync(`${path}.next`, String(delays.max / 1e6))
    renameSync(`${path}.next`, path)
    delays.reset()
  })
}
