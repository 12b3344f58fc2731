import { helpOption, longOf } from './spec.ts'
import type { CommandSpec, OptionSpec } from './spec.ts'

interface HelpOptions {
  readonly width: number
  readonly bold: (text: string) => string
}

/** Help for one command or group; everything in it comes from the spec. */
export function helpOf(
  root: CommandSpec,
  spec: CommandSpec,
  path: readonly string[],
  { width, bold }: HelpOptions,
): string {
  const name = ['taco', ...path].join(' ')
  const usage = [
    name,
    usageOf(spec),
    (spec.children === undefined || spec.run !== undefined) && spec.options !== undefined ? '[options]' : '',
  ]
  const parts = [`${bold('Usage:')} ${usage.filter(Boolean).join(' ')}`, '', spec.says]
  const sections: [string, [string, string][]][] = [
    [
      'Arguments',
      (spec.args ?? []).flatMap(({ name: arg, says }) =>
        says === undefined ? [] : [[arg, says] as [string, string]],
      ),
    ],
    [
      'Commands',
      (spec.children ?? []).map((child) => [
        `${child.name} ${usageOf(child)}`.trim(),
        child.says.split('\n')[0] ?? '',
      ]),
    ],
    ['Options', spec === root ? [] : optionRows(spec.options ?? [])],
    [
      spec === root ? 'Options' : 'Options of every command',
      optionRows([...(root.options ?? []), helpOption]),
    ],
  ]
  const longest = Math.min(34, Math.max(...sections.flatMap(([, rows]) => rows.map(([left]) => left.length))))
  for (const [title, rows] of sections) {
    if (rows.length === 0) continue
    parts.push('', bold(`${title}:`), ...rows.map(([left, says]) => line(left, says, longest, width)))
  }
  if (spec.example !== undefined) {
    const title = spec.example.includes('\n') ? 'Examples' : 'Example'
    parts.push('', bold(`${title}:`), ...spec.example.split('\n').map((text) => `  ${text}`))
  }
  return `${parts.join('\n')}\n`
}

export function usageOf(spec: CommandSpec): string {
  if (spec.children !== undefined) return spec.run === undefined ? '<command>' : '[command]'
  return (spec.args ?? [])
    .map(({ name, optional, rest, many }) => {
      if (optional === true) return `[${name}${many === true ? '…' : ''}]`
      return rest === true ? `-- <${name}…>` : `<${name}>`
    })
    .join(' ')
}

function optionRows(options: readonly OptionSpec[]): [string, string][] {
  return options.map((option) => {
    const short = option.short === undefined ? '    ' : `-${option.short}, `
    const value =
      option.value === undefined
        ? ''
        : option.valueOptional === true
          ? `[=${option.value}]`
          : ` <${option.value}>`
    const notes = [
      ...(option.choices === undefined ? [] : [option.choices.join(', ')]),
      ...(option.env === undefined ? [] : [option.env]),
      ...(option.fallback === undefined ? [] : [`default: ${option.fallback}`]),
    ]
    return [
      `${short}${longOf(option)}${value}`,
      notes.length === 0 ? option.says : `${option.says} (${notes.join('; ')})`,
    ]
  })
}

function line(left: string, says: string, longest: number, width: number): string {
  const indent = ' '.repeat(longest + 4)
  const start = left.length > longest ? `  ${left}\n${indent}` : `  ${left.padEnd(longest)}  `
  return start + wrap(says, Math.max(30, width - indent.length)).join(`\n${indent}`)
}

function wrap(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines[lines.length - 1] ?? ''
    if (last !== '' && last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}
