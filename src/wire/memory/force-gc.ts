import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface Collectors {
  /**
   * Frees the buffers that nobody uses any more. They are freed when young memory is full of objects, of which a large
   * upload makes few: some 60 MB of buffers would pile up before that.
   */
  young(): void
  /** Frees everything that nobody uses any more and gives it back to the system: a tenth of a second. */
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

/** In Node 20 options of any kind mean young memory only; later ones give young memory's room back only if told so. */
function everything(): readonly object[] {
  const v8 = Number(process.versions.v8.split('.')[0])
  return v8 < 12 ? [] : [{ type: 'major', flavor: 'last-resort' }]
}
