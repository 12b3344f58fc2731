import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface Collectors {
  /**
   * Frees the buffers that nobody uses any more. They are freed when young memory is full of objects, of which a large
   * upload makes few: some 60 MB of buffers would pile up before that.
   */
  young(): void
  /** Frees everything that nobody uses any more, which takes tens of milliseconds. */
  all(): void
}

export function memoryCollectors(): Collectors {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect !== 'function') return { young() {}, all() {} }
  return {
    young: () => void Reflect.apply(collect, undefined, [{ type: 'minor' }]),
    all: () => void Reflect.apply(collect, undefined, []),
  }
}
