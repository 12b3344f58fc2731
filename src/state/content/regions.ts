import { JsonScan } from './json-scan.ts'
import { decodeKey } from './scan.ts'

export interface Region {
  readonly start: number
  readonly end: number
}

/** The positions of a state's resources and outputs, so that only what differs is parsed. */
export interface StateRegions {
  readonly resources: readonly Region[]
  readonly outputs: ReadonlyMap<string, Region>
}

export function findRegions(bytes: Uint8Array): StateRegions {
  const resources: Region[] = []
  const outputs = new Map<string, Region>()
  let section = ''
  let name = ''
  let start = 0
  const json = new JsonScan({
    key(depth, raw, from, to) {
      if (depth === 1) section = decodeKey(raw, from, to)
      else if (depth === 2) name = decodeKey(raw, from, to)
    },
    begin(depth, _first, at) {
      if (depth === 2) start = at
      return false
    },
    piece() {},
    end(depth, at) {
      if (depth === 2 && section === 'resources') resources.push({ start, end: at })
      else if (depth === 2 && section === 'outputs') outputs.set(name, { start, end: at })
    },
  })
  json.push(bytes)
  json.finish()
  return { resources, outputs }
}
