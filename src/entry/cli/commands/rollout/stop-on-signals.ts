import type { Worker } from '../../../../runner/index.ts'
import type { Signal, World } from '../../world.ts'

/**
 * Waits for the worker, and stops it at the first signal, which it gives back. A person who presses Ctrl-C twice will
 * not wait. Others, such as CI, send one signal after the other by habit.
 */
export async function stopOnSignals(
  worker: Worker,
  onSignal: World['onSignal'],
): Promise<Signal | undefined> {
  let heard: Signal | undefined
  let presses = 0
  const release = onSignal((signal) => {
    heard ??= signal
    if (signal === 'SIGINT') presses += 1
    if (signal === 'SIGINT' && presses > 1) worker.hurry()
    else worker.stop()
  })
  try {
    await worker.ended
  } finally {
    release()
  }
  return heard
}
