import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Frees the buffers that nobody uses any more. They are freed when young memory is full of objects, of which a large
 * upload makes few: some 60 MB of buffers would pile up before that.
 */
export function youngMemoryCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  return typeof collect === 'function'
    ? () => void Reflect.apply(collect, undefined, [{ type: 'minor' }])
    : () => {}
}
