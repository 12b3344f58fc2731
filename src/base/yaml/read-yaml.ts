import { type Document, LineCounter, type YAMLError, parseDocument, visit } from 'yaml'
import type { z } from 'zod'
import { nearest } from '../text/nearest.ts'
import { sentence } from '../text/sentence.ts'
import { type FileNames, type Faults, offsetOf, openFaults } from './faults.ts'

/** Parses a file that people write, JSON included. Throws BAD_REQUEST with every fault of its syntax. */
export function parseYaml(text: string, file: FileNames): ParsedYaml {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
  const faults = openFaults(file, document, lines)
  refuseSyntax([...document.errors, ...document.warnings], faults)
  const lineOf = (path: readonly PropertyKey[]) => lines.linePos(offsetOf(document, path, 'value')).line
  return { document, faults, lineOf }
}

export interface ParsedYaml {
  readonly document: Document
  readonly faults: Faults
  /** Where a value is, from 1. */
  lineOf(path: readonly PropertyKey[]): number
}

/** The parser's own words, unless they address programmers. */
function refuseSyntax(found: readonly YAMLError[], faults: Faults): void {
  if (found.some(({ message }) => message.includes('call stack')))
    faults.addAt(0, 'The file is nested too deeply.')
  else
    for (const { pos, code, message } of found)
      faults.addAt(
        pos[0],
        code === 'MULTIPLE_DOCS' ? 'The file must be one document. Remove `---`.' : sentence(message),
      )
  faults.throwIfAny()
}

/** The values, or a fault if aliases expand to more than a person would write. */
export function valuesOf(document: Document, faults: Faults): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch {
    let first: number | undefined
    visit(document, { Alias: (_, { range }) => void (first ??= range?.[0]) })
    faults.addAt(first ?? 0, 'Anchors are used too often, or inside their own value.')
    return undefined
  }
}

/** Every issue becomes a fault with its position, unknown keys included. */
export function parsed<T extends z.ZodType>(
  schema: T,
  value: unknown,
  path: readonly PropertyKey[],
  keys: readonly string[] | undefined,
  faults: Faults,
): z.infer<T> | undefined {
  const result = schema.safeParse(value)
  if (keys !== undefined && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const key of Object.keys(value).filter((name) => !keys.includes(name))) {
      const guess = nearest(key, keys)
      const advice = guess === undefined ? `Known keys are ${keys.join(', ')}.` : `Did you mean ${guess}?`
      faults.add([...path, key], `The key ${JSON.stringify(key)} is unknown. ${advice}`, 'key')
    }
  }
  if (result.success) return result.data
  for (const issue of result.error.issues) {
    const isKey = issue.code === 'invalid_key'
    const message = isKey ? (issue.issues[0]?.message ?? issue.message) : issue.message
    faults.add([...path, ...issue.path], sayType(message), isKey ? 'key' : 'value')
  }
  return undefined
}

function sayType(message: string): string {
  if (message.startsWith('Too small')) return 'This is empty.'
  const types = /^Invalid input: expected (\w+), received (\w+)$/.exec(message)
  const words: Readonly<Record<string, string>> = {
    record: 'a map',
    object: 'a map',
    array: 'a list',
    string: 'text',
    number: 'a number',
    boolean: 'true or false',
    null: 'nothing',
  }
  const word = (type = '') => words[type] ?? type
  return types === null ? sentence(message) : `This must be ${word(types[1])}, not ${word(types[2])}.`
}
