import { expect, test } from 'vitest'
import type { Signal } from '../../world.ts'
import { stopOnSignals } from './stop-on-signals.ts'

async function after(...signals: readonly Signal[]) {
  const calls: string[] = []
  let end = () => {}
  const worker = {
    ended: new Promise<void>((resolve) => (end = resolve)),
    stop: () => void calls.push('stop'),
    hurry: () => void calls.push('hurry'),
  }
  const heard = new Set<(signal: Signal) => void>()
  const ended = stopOnSignals(worker, (listener) => {
    heard.add(listener)
    return () => heard.delete(listener)
  })
  for (const signal of signals) for (const listener of heard) listener(signal)
  end()
  return { calls, first: await ended, listeners: heard.size }
}

test.each<[readonly Signal[], readonly string[]]>([
  [[], []],
  [
    ['SIGTERM', 'SIGHUP', 'SIGTERM'],
    ['stop', 'stop', 'stop'],
  ],
  [
    ['SIGINT', 'SIGTERM', 'SIGINT'],
    ['stop', 'stop', 'hurry'],
  ],
  // Whatever signal came before, it is the second Ctrl-C that is urgent.
  [
    ['SIGTERM', 'SIGINT', 'SIGINT'],
    ['stop', 'stop', 'hurry'],
  ],
])('after %j the worker is told %j', async (signals, calls) => {
  expect(await after(...signals)).toEqual({ calls, first: signals[0], listeners: 0 })
})
