import { LineCounter, isScalar, isSeq, parseDocument } from 'yaml'
import { offsetOf } from '../base/yaml/faults.ts'

/** Where a `taco.yaml` declares that a unit uses another: `taco.yaml:3:7`. For errors that only a server can find. */
export function placesOfDependencies(text: string, file: string): (unit: string, on: string) => string {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  return (unit, on) => {
    const path = ['units', unit, 'dependencies']
    const list = document.getIn(path)
    const step = isSeq(list)
      ? list.items.findIndex((item) => isScalar(item) && String(item.value).split(':')[0] === on)
      : on
    const { line, col } = lines.linePos(offsetOf(document, [...path, step], 'key'))
    return `${file}:${line}:${col}`
  }
}
