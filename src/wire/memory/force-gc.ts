import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface Collectors {
  /**
   * Frees unused buffers. They are freed when young memory is full of objects, of which a large upload makes few: about
   * 60 MB of buffers would pile up before that.
   */
  young(): void
  /** Frees everything unused and returns it to the system: takes a tenth of a second. */
  all(): void
}

export function memoryCollectors(): Collectors {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  const run = (...how: readonly object[]) => {
    if (typeof collect === 'function') Reflect.apply(collect, undefined, how)
  }
  return { young: () => run({ type: 'minor' }), all: () => run(...everything()) }
}

/** In Node 20 any option means young memory only; later releases return the space of young memory only when told to. */
function everything(): readonly object[] {
  const v8 = Number(process.versions.v8.split('.')[0])
  return v8 < 12 ? [] : [{ type: 'major', flavor: 'last-resort' }]
}
