import { type Document, type Scalar, isAlias, isMap, isScalar, visit } from 'yaml'
import type { Faults } from '../base/yaml/faults.ts'

/**
 * What YAML allows and a `taco.yaml` does not. Checked in the parsed nodes, because values have lost the difference.
 * Names and labels keep the text as written: `1.10` is not `1.1`.
 */
export function checkNodes(document: Document, faults: Faults): void {
  const anchors = new Set<string>()
  visit(document, {
    Alias(_, { source, range }) {
      if (!anchors.has(source)) faults.addAt(range?.[0] ?? 0, `There is no &${source} before this.`)
    },
    Pair(_, { key }) {
      if (!isScalar(key)) faults.addAt(offsetOf(key), 'A name must be text.')
      else writeAsText(key)
      if (isScalar(key) && key.value === '__proto__')
        faults.addAt(offsetOf(key), '"__proto__" cannot be used as a name.')
    },
    Value(_, node) {
      if (node.anchor !== undefined) anchors.add(node.anchor)
      if (isScalar(node) && typeof node.value === 'number' && !isKept(node.value, node.source))
        faults.addAt(offsetOf(node), 'Write this number in quotes. It is too long to be kept exactly.')
    },
  })
  const units = document.get('units')
  for (const { value } of isMap(units) ? units.items : []) {
    const given = isMap(value) ? value.get('labels', true) : undefined
    const labels: unknown = isAlias(given) ? given.resolve(document) : given
    for (const label of isMap(labels) ? labels.items : []) if (isScalar(label.value)) writeAsText(label.value)
  }
}

function writeAsText(node: Scalar): void {
  if (typeof node.value !== 'string' && node.value !== null && node.source !== undefined)
    node.value = node.source
}

/** Whether the number is the one that is written, to the last digit. */
function isKept(value: number, source: string | undefined): boolean {
  if (!Number.isFinite(value)) return false
  const written = /^[-+]?([\d.]+)(?:e[-+]?\d+)?$/i.exec(source ?? '')?.[1]
  if (written === undefined) return true
  const digits = significant(written)
  return digits.length <= 15 || significant(value.toPrecision(Math.min(digits.length, 100))) === digits
}

function significant(number: string): string {
  const plain = number.replace(/e.*$/i, '')
  const digits = plain.replace('.', '').replace(/^0+/, '')
  return digits.replace(/0+$/, '')
}

function offsetOf(node: unknown): number {
  const range: unknown = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : 0
}
