import { usageError } from '../terminal/exit-codes.ts'
import { allCommands, helpOption, longOf } from './spec.ts'
import type { CommandSpec, OptionSpec } from './spec.ts'
import { didYouMean, nearest } from '../../../base/text/nearest.ts'

export interface Parsed {
  readonly spec: CommandSpec
  /** `['unit', 'ls']` */
  readonly path: readonly string[]
  readonly args: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
  readonly flags: Readonly<Record<string, unknown>>
  readonly help: boolean
}

type Env = Readonly<Record<string, string | undefined>>
type Values = Record<string, unknown>

/** Global options stand anywhere before `--`. Both engines write options with one dash; that is understood, too. */
export function parseArgs(root: CommandSpec, args: readonly string[], env: Env): Parsed {
  let spec = root
  const path: string[] = []
  const operands: string[] = []
  const common: Values = {}
  const options: Values = {}
  let help = false

  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? ''
    if (arg === '--') {
      operands.push(...args.slice(i + 1))
      break
    }
    if (!arg.startsWith('-') || arg === '-') {
      const child = spec.children?.find(({ name, alias }) => name === arg || alias === arg)
      if (child !== undefined) {
        spec = child
        path.push(child.name)
      } else if (spec.children !== undefined) {
        if (arg === 'help') help = true
        else throw unknownCommand(root, spec, path, arg)
      } else {
        operands.push(arg)
        const rest = spec.args?.findIndex(({ rest }) => rest === true) ?? -1
        if (rest !== -1 && operands.length > rest) {
          operands.push(...args.slice(i + 1))
          break
        }
      }
      continue
    }
    i += takeOption(args, i, {
      own: spec === root ? [] : (spec.options ?? []),
      common: [...(root.options ?? []), helpOption],
      options,
      flags: common,
      path,
    })
  }
  for (const option of spec.options ?? []) if (spec !== root) addDefault(option, options, env)
  const { help: isAsked, ...flags } = common
  const isHelp = help || isAsked === true
  if (!isHelp) checkOperands(spec, path, operands)
  return { spec, path, args: operands, options, flags, help: isHelp }
}

interface Taking {
  readonly own: readonly OptionSpec[]
  readonly common: readonly OptionSpec[]
  readonly options: Values
  readonly flags: Values
  readonly path: readonly string[]
}

/** Gives how many further arguments were used up. `whole`: what `arg` is the rest of, as in `-fq`. */
function takeOption(args: readonly string[], at: number, taking: Taking, whole?: string): number {
  const arg = args[at] ?? ''
  const [, word = '', , inline] = /^--?([^=]*)(=([\s\S]*))?$/.exec(arg) ?? []
  const { own, common } = taking
  const isLong = arg.startsWith('--') || find([...own, ...common], word, true) !== undefined
  const name = isLong ? word : (word[0] ?? '')
  const rest = isLong ? '' : word.slice(1)
  const found = find(own, name, isLong) ?? find(common, name, isLong)
  if (found === undefined) throw unknownOption(arg, taking, whole)
  const { option, negated } = found
  const into = own.includes(option) ? taking.options : taking.flags
  if (option.valueOptional === true) {
    put(option, inline ?? true, into)
    return 0
  }
  if (negated || option.value === undefined) {
    if (inline !== undefined) throw badOption(taking.path, `--${word} takes no value.`)
    put(option, !negated, into)
    // `-fq` is `-f -q`.
    return rest === '' ? 0 : takeOption([`-${rest}`, ...args.slice(at + 1)], 0, taking, whole ?? arg)
  }
  const attached = inline ?? (rest === '' ? undefined : rest)
  const value = attached ?? args[at + 1]
  if (value === undefined) throw badOption(taking.path, `${spell(option)} needs a value.`)
  put(option, convert(option, value, taking.path), into)
  return attached === undefined ? 1 : 0
}

function find(
  options: readonly OptionSpec[],
  word: string,
  isLong: boolean,
): { option: OptionSpec; negated: boolean } | undefined {
  const option = options.find(({ name, short }) => (isLong ? name === word : short === word))
  if (option !== undefined) return { option, negated: false }
  const positive =
    isLong && word.startsWith('no-')
      ? options.find(
          ({ name, negatable, isOn }) => (negatable === true || isOn === true) && `no-${name}` === word,
        )
      : undefined
  return positive === undefined ? undefined : { option: positive, negated: true }
}

function put(option: OptionSpec, value: unknown, into: Values): void {
  const name = camelCase(option.name)
  const before = into[name]
  into[name] = option.many === true ? [...(Array.isArray(before) ? before : []), value] : value
}

function convert(option: OptionSpec, value: string, path: readonly string[]): unknown {
  if (option.choices !== undefined && !option.choices.includes(value)) {
    throw badOption(
      path,
      `--${option.name} must be ${listed(option.choices, 'or')}, not ${JSON.stringify(value)}.`,
    )
  }
  if (option.isNumber !== true) return value
  if (!/^\d{1,9}$/.test(value) || Number(value) < 1) {
    throw badOption(
      path,
      `--${option.name} must be a whole number of 1 or more, not ${JSON.stringify(value)}.`,
    )
  }
  return Number(value)
}

/** A variable that is set to nothing is not set; a switch is on by 1, true, yes or on. */
function addDefault(option: OptionSpec, options: Values, env: Env): void {
  const name = camelCase(option.name)
  if (name in options) return
  const fromEnv = option.env === undefined ? undefined : env[option.env]
  if (fromEnv)
    options[name] =
      option.value === undefined
        ? /^(1|true|yes|on)$/i.test(fromEnv)
        : convert(option, fromEnv, [`(${option.env ?? ''})`])
  else if (option.fallback !== undefined) options[name] = option.fallback
}

function checkOperands(spec: CommandSpec, path: readonly string[], operands: readonly string[]): void {
  if (spec.run === undefined) return
  const args = spec.args ?? []
  const missing = args.find(({ optional }, i) => optional !== true && operands[i] === undefined)
  if (missing !== undefined) throw badOption(path, `The argument <${missing.name}> is missing.`)
  const last = args.at(-1)
  if (operands.length > args.length && last?.rest !== true && last?.many !== true) {
    throw badOption(path, `Unexpected argument ${JSON.stringify(operands[args.length])}.`)
  }
}

/** What people look for here because the engines have it. */
const ENGINE_COMMANDS = [
  'apply',
  'console',
  'destroy',
  'fmt',
  'import',
  'init',
  'refresh',
  'taint',
  'validate',
]

function unknownCommand(root: CommandSpec, spec: CommandSpec, path: readonly string[], word: string): Error {
  const message = `There is no command "${[...path, word].join(' ')}".`
  if (spec === root && ENGINE_COMMANDS.includes(word))
    return usageError(
      message,
      `Engines do that: run \`tofu ${word}\`, or \`taco exec <unit> -- tofu ${word}\`.`,
    )
  const elsewhere = [...allCommands(root)]
    .filter((one) => one.spec.run !== undefined && spellings(one.spec).includes(word))
    .map((one) => `\`taco ${one.path.join(' ')}\``)
  if (elsewhere.length > 0) return badOption(path, message, listed(elsewhere.slice(0, 3), 'or'))
  const guess = nearest(word, (spec.children ?? []).flatMap(spellings))
  if (guess !== undefined) return badOption(path, message, guess)
  const names = (spec.children ?? []).map(({ name }) => name)
  return spec === root
    ? badOption(path, message)
    : usageError(message, `Its commands are ${listed(names, 'and')}. ${helpOn(path)}`)
}

function spellings({ name, alias }: CommandSpec): readonly string[] {
  return alias === undefined ? [name] : [name, alias]
}

function listed(words: readonly string[], last: 'and' | 'or'): string {
  return words.join(', ').replace(/, ([^,]*)$/, ` ${last} $1`)
}

function unknownOption(arg: string, { own, common, path }: Taking, whole = arg): Error {
  const name = whole.split('=')[0] ?? whole
  const guess = nearest(
    name.replace(/^-+/, ''),
    [...own, ...common].map((option) => longOf(option).slice(2)),
  )
  if (guess !== undefined) return badOption(path, `There is no option ${name}.`, `--${guess}`)
  return badOption(path, `There is no option ${whole === arg ? name : `${arg.slice(0, 2)} in ${name}`}.`)
}

function badOption(path: readonly string[], message: string, guess?: string): Error {
  return usageError(message, didYouMean(guess, helpOn(path)))
}

function helpOn(path: readonly string[]): string {
  return `\`${['taco', ...path.filter((word) => !word.startsWith('('))].join(' ')} --help\` shows the usage.`
}

function spell({ name, short }: OptionSpec): string {
  return short === undefined ? `--${name}` : `-${short}, --${name}`
}

export function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_all, letter: string) => letter.toUpperCase())
}
