import type { Output } from './output.ts'
import { fields, flag, list, maybe, number, text } from '../api/check-answer.ts'
import type { Of, Shape } from '../api/check-answer.ts'
import { oneLine } from '../../../base/text/terminal-text.ts'
import { count } from './format.ts'

const side = fields({ serial: number, size: number, encrypted: flag })
const anything: Shape<unknown> = (value) => value
/** As JSON text where the value has a number that would lose digits here. */
const values = {
  before: anything,
  after: anything,
  beforeJson: maybe(text),
  afterJson: maybe(text),
}

const read = fields({
  encrypted: flag,
  before: maybe(side),
  after: maybe(side),
  resources: maybe(
    list(
      fields({
        address: text,
        change: text,
        from: maybe(text),
        attributes: list(fields({ path: text, sensitive: flag, ...values })),
        fields: list(text),
      }),
    ),
  ),
  outputs: maybe(list(fields({ name: text, change: text, sensitive: flag, ...values }))),
})

/** An encrypted state has nothing in it that could be compared. */
export const stateDiff = (value: unknown, at: string) => {
  const found = read(value, at)
  return { ...found, resources: found.resources ?? [], outputs: found.outputs ?? [] }
}
type Diff = ReturnType<typeof stateDiff>
type Side = Of<typeof side> | null

const signs: Readonly<Record<string, readonly [string, 'green' | 'red' | 'yellow']>> = {
  added: ['+', 'green'],
  removed: ['-', 'red'],
  changed: ['~', 'yellow'],
  moved: ['→', 'yellow'],
}

export function renderDiff(diff: Diff, style: Output['style']): string {
  const lines = [style('bold', `${saySide(diff.before)} → ${saySide(diff.after)}`)]
  const sign = (change: string) => {
    const [mark, colour] = signs[change] ?? ['?', 'yellow']
    return style(colour, mark)
  }
  if (diff.encrypted) {
    lines.push('encrypted by the client: what is inside cannot be compared')
    return lines.map((line) => `${line}\n`).join('')
  }
  for (const resource of diff.resources) {
    const from = resource.from === null ? '' : ` (moved from ${oneLine(resource.from)})`
    lines.push(`${sign(resource.change)} ${oneLine(resource.address)}${from}`)
    for (const attribute of resource.attributes)
      lines.push(`    ${oneLine(attribute.path)}: ${sayValues(attribute)}`)
    if (resource.fields.length > 0) lines.push(`    also: ${oneLine(resource.fields.join(', '))}`)
  }
  for (const output of diff.outputs) {
    lines.push(`${sign(output.change)} output ${oneLine(output.name)}: ${sayValues(output)}`)
  }
  const total = diff.resources.length + diff.outputs.length
  lines.push(total === 0 ? 'no differences in resources or outputs' : sayTotals(diff))
  return lines.map((line) => `${line}\n`).join('')
}

function sayTotals({ resources, outputs }: Diff): string {
  const of = (change: string) => resources.filter((one) => one.change === change).length
  const parts = [`${of('added')} added`, `${of('changed')} changed`, `${of('removed')} removed`]
  if (of('moved') > 0) parts.push(`${of('moved')} moved`)
  return `${count(resources.length, 'resource')}: ${parts.join(', ')}; ${count(outputs.length, 'output')} changed`
}

function saySide(side: Side): string {
  return side === null ? 'no state' : `serial ${side.serial}`
}

function sayValues(change: {
  readonly before: unknown
  readonly after: unknown
  readonly beforeJson: string | null
  readonly afterJson: string | null
}): string {
  return `${sayValue(change.before, change.beforeJson)} → ${sayValue(change.after, change.afterJson)}`
}

function sayValue(value: unknown, exact: string | null): string {
  if (value === undefined) return '(nothing)'
  if (value === '(sensitive)') return value
  const said = oneLine(exact ?? JSON.stringify(value))
  return said.length > 120 ? `${said.slice(0, 117)}…` : said
}
