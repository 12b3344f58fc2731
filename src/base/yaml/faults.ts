import { type Document, type LineCounter, isMap, isNode, isPair, isScalar } from 'yaml'
import { TacoError } from '../errors.ts'

/** Something wrong in a file, with where. Lines and columns count from 1. */
export interface Fault {
  readonly line: number
  readonly column: number
  readonly message: string
}

/** Collects all that is wrong with one file, so that one round is enough to put it right. */
export interface Faults {
  /** `path` leads to the value that is wrong; `at: 'key'` points at its name instead. */
  add(path: readonly PropertyKey[], message: string, at?: 'key' | 'value'): void
  addAt(offset: number, message: string): void
  throwIfAny(): void
}

export interface FileNames {
  /** In messages. */
  readonly path: string
  /** Where its format is described: `docs/project.md`. */
  readonly page: string
}

export function openFaults(file: FileNames, document: Document, lines: LineCounter): Faults {
  const found: Fault[] = []

  function addAt(offset: number, message: string): void {
    const { line, col } = lines.linePos(offset)
    found.push({ line: Math.max(line, 1), column: Math.max(col, 1), message })
  }

  return {
    addAt,
    add: (path, message, at = 'value') => addAt(offsetOf(document, path, at), message),
    throwIfAny() {
      if (found.length === 0) return
      const faults = found.toSorted((a, b) => a.line - b.line || a.column - b.column)
      const text = faults.map(({ line, column, message }) => `${file.path}:${line}:${column}: ${message}`)
      throw new TacoError('BAD_REQUEST', text.join('\n'), {
        hint: `See ${file.page} for the format of the file.`,
        facts: { field: file.path, faults },
      })
    },
  }
}

/** Of the deepest part of the path that is there. */
export function offsetOf(document: Document, path: readonly PropertyKey[], at: 'key' | 'value'): number {
  let node: unknown = document.contents
  let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0
  for (const [depth, step] of path.entries()) {
    const isLast = depth === path.length - 1
    let next: unknown
    if (isMap(node)) {
      const pair = node.items.find(
        (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(step),
      )
      const key = pair?.key
      if (isNode(key) && key.range) offset = key.range[0]
      if (isLast && at === 'key') return offset
      next = pair?.value
    } else if (isNode(node) && 'items' in node && Array.isArray(node.items)) {
      next = node.items[Number(step)]
    }
    if (!isNode(next)) return offset
    if (next.range) offset = next.range[0]
    node = next
  }
  return offset
}
