import { camelCase } from '../spec/parse-args.ts'
import { type ArgSpec, type CommandSpec, type OptionSpec, helpOption, longOf } from '../spec/spec.ts'

export interface Candidate {
  readonly word: string
  readonly says: string
}

/** What may stand where the cursor is. */
export type Expected =
  | { readonly kind: 'words'; readonly words: readonly Candidate[] }
  | { readonly kind: 'value'; readonly of: string; readonly value: Value }

export interface Value {
  readonly typed: string
  /** The text before it in the same word, such as `--on=`. */
  readonly before: string
  /** The arguments before it. */
  readonly operands: readonly string[]
  /** The valued options so far, the global ones among them. */
  readonly flags: Readonly<Record<string, string>>
}

/** The last word is the one being typed. Undefined: what belongs there is not ours. */
export function expectedAt(program: CommandSpec, words: readonly string[]): Expected | undefined {
  let spec = program
  let awaiting: OptionSpec | undefined
  const operands: string[] = []
  const flags: Record<string, string> = {}
  const options = () => [
    ...(spec === program ? [] : (spec.options ?? [])),
    ...(program.options ?? []),
    helpOption,
  ]
  const find = (word: string) =>
    options().find(
      ({ name, short }) => word === `--${name}` || word === `-${name}` || word === `-${short ?? name}`,
    )

  for (const word of words.slice(0, -1)) {
    const [name = '', ...inline] = word.split('=')
    if (awaiting !== undefined) {
      flags[camelCase(awaiting.name)] = word
      awaiting = undefined
    } else if (word === '--') return undefined
    else if (word.startsWith('-')) {
      const option = find(name)
      if (option === undefined || !takesValue(option)) continue
      if (inline.length > 0) flags[camelCase(option.name)] = inline.join('=')
      else awaiting = option
    } else {
      const child = spec.children?.find((one) => one.name === word || one.alias === word)
      if (child !== undefined) spec = child
      else if (spec.children === undefined) operands.push(word)
    }
  }

  const typed = words.at(-1) ?? ''
  const valueOf = ({ choices }: { choices?: readonly string[] }, of: string, before: string): Expected => {
    const value = { typed: typed.slice(before.length), before, operands, flags }
    return choices === undefined ? { kind: 'value', of, value } : fitting(typed, before, choices.map(bare))
  }
  if (awaiting !== undefined) return valueOf(awaiting, awaiting.value ?? '', '')
  if (typed.startsWith('-')) {
    const before = /^[^=]*=/.exec(typed)?.[0]
    const option = before === undefined ? undefined : find(before.slice(0, -1))
    if (before !== undefined) return option && valueOf(option, option.value ?? '', before)
    return fitting(
      typed,
      '',
      options().map((one) => ({ word: longOf(one), says: one.says })),
    )
  }
  if (spec.children !== undefined) {
    const commands = spec.children.map(({ name, says }) => ({ word: name, says: says.split('\n')[0] ?? '' }))
    return fitting(
      typed,
      '',
      spec === program ? [...commands, { word: 'help', says: 'show help' }] : commands,
    )
  }
  const arg = argAt(spec, operands.length)
  return arg && valueOf(arg, arg.name, '')
}

function argAt({ args = [] }: CommandSpec, at: number): ArgSpec | undefined {
  const last = args.at(-1)
  return args[at] ?? (last?.rest === true || last?.many === true ? last : undefined)
}

function takesValue({ value, valueOptional }: OptionSpec): boolean {
  return value !== undefined && valueOptional !== true
}

function bare(word: string): Candidate {
  return { word, says: '' }
}

export function fitting(typed: string, before: string, all: readonly Candidate[]): Expected {
  const whole = all.map(({ word, says }) => ({ word: before + word, says }))
  return { kind: 'words', words: whole.filter(({ word }) => word.startsWith(typed)) }
}
