import { Turns } from '../../base/turns.ts'
import { canonical, isObject, parseExact, written } from './exact.ts'
import { JsonScan } from './json-scan.ts'
import { decodeKey } from './scan.ts'

export interface OutputValue {
  /** Canonical JSON of the type. */
  readonly type: string
  /** The value as JSON text: every digit of a number kept. */
  readonly json: string
}

/** Of the raw text of one output. */
export function outputValue(text: Uint8Array): OutputValue | undefined {
  const output = parseExact(Buffer.from(text.buffer, text.byteOffset, text.length).toString())
  if (!isObject(output)) return undefined
  return { type: canonical(output.get('type') ?? 'dynamic'), json: written(output.get('value') ?? null) }
}

/**
 * The requested outputs of a plain state, including sensitive ones: the caller must have the right to see them. The
 * state is read as a stream, and nothing else of it is kept.
 */
export async function readOutputValues(
  state: AsyncIterable<Uint8Array>,
  isWanted: (name: string) => boolean,
  read: (text: Uint8Array) => Promise<OutputValue | undefined>,
): Promise<ReadonlyMap<string, OutputValue>> {
  const values = new Map<string, OutputValue>()
  const texts: [string, Uint8Array][] = []
  const turns = new Turns()
  let pieces: Uint8Array[] = []
  let section = ''
  let name = ''
  const json = new JsonScan({
    key(depth, raw, from, to) {
      if (depth === 1) section = decodeKey(raw, from, to)
      else if (depth === 2 && section === 'outputs') name = decodeKey(raw, from, to)
    },
    begin: (depth) => depth === 2 && section === 'outputs' && isWanted(name),
    piece: (bytes) => void pieces.push(new Uint8Array(bytes)),
    end(depth) {
      if (depth !== 2 || pieces.length === 0) return
      texts.push([name, Buffer.concat(pieces)])
      pieces = []
    },
  })
  const takeIn = async () => {
    for (const [found, text] of texts.splice(0)) {
      const value = await read(text)
      if (value !== undefined) values.set(found, value)
      await turns.pause()
    }
  }
  for await (const chunk of state) {
    for (const some of turns.slices(chunk)) {
      json.push(some)
      await takeIn()
      await turns.pause()
    }
  }
  json.finish()
  return values
}
