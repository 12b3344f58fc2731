/** A worker process: one of several servers on one address, which a parent starts, watches and stops. */
import cluster from 'node:cluster'
import { systemClock } from '../../base/clock.ts'
import { createFailedAttempts } from '../../entry/http/index.ts'
import { carried } from '../carried-error.ts'
import { serve } from '../serve.ts'
import type { ServeOptions } from '../serve-options.ts'
import type { ToParent, ToWorker } from './messages.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const attempts = createFailedAttempts(systemClock)
const waitingForMetrics: ((text: string) => void)[] = []
let ownMetrics: () => string = () => ''
let isStopping = false
let stopNow: () => void = () => {}
const stopped = new Promise<void>((resolve) => (stopNow = resolve))

function stop(): void {
  isStopping = true
  // A second signal ends at once.
  for (const signal of SIGNALS) process.off(signal, stop)
  stopNow()
}

function say(message: ToParent): void {
  if (process.connected) process.send?.(message)
}

async function run(number: number, options: ServeOptions): Promise<void> {
  const served = await serve(options, {
    number,
    metricsText: () =>
      new Promise((resolve) => {
        waitingForMetrics.push(resolve)
        say({ kind: 'metrics' })
      }),
    attempts: {
      ...attempts,
      failed(address) {
        say({ kind: 'wrong-token', address })
        return attempts.failed(address)
      },
    },
  })
  ownMetrics = served.metricsText
  say({ kind: 'ready', url: served.url, bucket: served.bucket })
  await stopped
  await served.close()
}

process.on('message', (message: ToWorker) => {
  if (message.kind === 'stop') stop()
  else if (message.kind === 'count') say({ kind: 'counted', text: ownMetrics() })
  else if (message.kind === 'wrong-token') attempts.failed(message.address)
  else if (message.kind === 'metrics')
    for (const resolve of waitingForMetrics.splice(0)) resolve(message.text)
  else
    run(message.number, message.options).then(
      () => process.exit(0),
      (error: unknown) => {
        say({ kind: 'failed', error: carried(error) })
        process.exitCode = 1
        process.disconnect()
      },
    )
})
// A terminal and systemd signal the parent and its workers alike.
for (const signal of SIGNALS) process.on(signal, stop)
// The log goes through the parent, and matters less than requests under way.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
cluster.worker?.on('disconnect', () => {
  // Without a parent nothing new arrives. Requests under way are still answered, unless there is a hurry.
  if (isStopping) process.exit(1)
  if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true
  stop()
})
say({ kind: 'awake' })
