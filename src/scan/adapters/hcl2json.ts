import { TacoError, messageOf, reasonOf } from '../../base/errors.ts'
import { type HclBody, type HclFault, type HclReader, isBody } from '../hcl/hcl.ts'

/** Set by the build, which puts the parser beside the program. */
declare const TACO_HCL_PARSER: string | undefined
/** A computed name, so that its types are not loaded: they would declare browser globals for the whole program. */
const PARSER: string = typeof TACO_HCL_PARSER === 'undefined' ? '@cdktn/hcl2json' : TACO_HCL_PARSER
/** The parser repeats the name in front of every fault; an unusual one cannot be mistaken for text of the file. */
const NAME = 'taco-scan.hcl'
/** The parser is a Go program in WebAssembly: if it ended, its answers would never arrive. */
const PATIENCE_MS = 20_000

interface Parser {
  parse(name: string, text: string): Promise<unknown>
}

/** HashiCorp's own HCL library, compiled to WebAssembly. Loaded with the first file: that takes 0.2 s. */
export function openHclReader(): HclReader {
  let loading: Promise<Parser> | undefined
  return {
    async read(text) {
      loading ??= load().catch(cannotLoad)
      const { parse } = await loading
      try {
        const body: unknown = await inTime(parse(NAME, text))
        return { body: isBody(body) ? body : ({} as HclBody) }
      } catch (error) {
        return { faults: faultsIn(messageOf(error)) }
      }
    },
  }
}

/** Node finds the names that a CommonJS file exports by reading it, and those of a bundled one it may miss. */
async function load(): Promise<Parser> {
  const found = (await import(PARSER)) as Partial<Parser> & { readonly default?: Partial<Parser> }
  const parse = found.parse ?? found.default?.parse
  if (parse === undefined) throw new Error(`${PARSER} exports no parser`)
  return { parse }
}

function cannotLoad(cause: unknown): never {
  throw new TacoError('UNEXPECTED', `The HCL parser cannot be loaded: ${reasonOf(cause)}.`, {
    cause,
    hint: 'Install OpenTaco again. Part of it is missing or broken.',
  })
}

/** `parse config: [name:1,40-2,1: Summary; Detail. name:3,1-2: …]` */
export function faultsIn(text: string): readonly HclFault[] {
  const pieces = text
    .replace(/^parse config: \[/, '')
    .replace(/\]$/, '')
    .split(`${NAME}:`)
    .slice(1)
  const faults = pieces.flatMap((piece) => {
    const match = /^(\d+),(\d+)-(?:\d+,)?\d+: ([\s\S]*)$/.exec(piece.trim())
    return match === null
      ? []
      : [
          {
            line: Number(match[1]),
            column: Number(match[2]),
            message: (match[3] ?? '').replaceAll(/\s+/g, ' ').trim(),
          },
        ]
  })
  return faults.length > 0 ? faults : [{ line: 1, column: 1, message: text }]
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the parser of HCL does not answer')), PATIENCE_MS)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
