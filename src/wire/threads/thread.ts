import { parentPort } from 'node:worker_threads'
import { TacoError } from '../../base/errors.ts'
import { type LongWork, longWork } from '../../state/index.ts'
import { carried } from '../carried-error.ts'
import type { Task, TaskEnd } from './threads.ts'

/** A thread of the server: does its jobs one after another. */
parentPort?.on('message', ({ name, given }: Task) => {
  const end = done(name, given)
  const { result } = 'result' in end ? end : { result: undefined }
  parentPort?.postMessage(end, result instanceof Uint8Array ? [result.buffer as ArrayBuffer] : [])
})

function done(name: keyof LongWork, given: readonly unknown[]): TaskEnd {
  try {
    return { result: Reflect.apply(longWork[name], undefined, given) as unknown }
  } catch (error) {
    if (!(error instanceof TacoError)) throw error
    return { refusal: carried(error) }
  }
}
