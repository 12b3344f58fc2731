import { expect, test } from 'vitest'
import { exitCodeHelp } from '../terminal/exit-codes.ts'
import { helpOf } from './help.ts'
import { parseArgs } from './parse-args.ts'
import { program } from '../program.ts'
import { allCommands } from './spec.ts'
import type { CommandSpec } from './spec.ts'

const everyCommand = [...allCommands(program)].map(({ path, spec }) => ({ name: path.join(' '), path, spec }))
const leaves = everyCommand.filter(({ spec }) => spec.run !== undefined)

function helpFor(spec: CommandSpec, path: readonly string[]): string {
  return helpOf(program, spec, path, { width: 100, bold: (text) => text })
}

/** The words after the command with which nothing is missing. */
function operandsOf({ args = [] }: CommandSpec): readonly string[] {
  return args.filter(({ optional }) => optional !== true).map(({ name }) => name)
}

/** A command line as a shell would split it. */
function words(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
}

test.each(leaves)('every option in the help of "$name" is one that it takes', ({ path, spec }) => {
  const rows = helpFor(spec, path).matchAll(/^ {2}(?:(-\w), | {4})(--[a-z-]+)(\[=| <)?/gm)
  const listed = [...rows].filter(([, , long]) => long !== '--help')

  expect(listed.length).toBeGreaterThan(0)
  for (const [, short, long = '', value] of listed) {
    const name = long.replace(/^--(no-)?/, '')
    const option = [...(spec.options ?? []), ...(program.options ?? [])].find((one) => one.name === name)
    const given = value === ' <' ? [option?.choices?.[0] ?? '1'] : []
    for (const word of short === undefined ? [long] : [short, long])
      expect(() => parseArgs(program, [...path, word, ...given, ...operandsOf(spec)], {})).not.toThrow()
  }
})

test.each(leaves)(
  'every option that a text in the help of "$name" speaks of is one that it takes',
  ({ spec }) => {
    const texts = [
      spec.says,
      ...[...(spec.options ?? []), ...(spec.args ?? [])].map(({ says }) => says ?? ''),
    ]
    const known = new Set(
      [...(spec.options ?? []), ...(program.options ?? [])].flatMap(({ name, negatable, isOn }) =>
        negatable === true || isOn === true ? [`--${name}`, `--no-${name}`] : [`--${name}`],
      ),
    )

    const spoken = texts.flatMap((text) => text.match(/(?<!\w)--[a-z][a-z-]*/g) ?? [])

    expect(spoken.filter((option) => !known.has(option))).toEqual([])
  },
)

test('an option that can be turned off is shown so', () => {
  const silent = everyCommand.flatMap(({ name: command, path, spec }) =>
    (spec.options ?? [])
      .filter(({ negatable, isOn }) => negatable === true || isOn === true)
      .filter(({ name }) => !helpFor(spec, path).includes(`--no-${name}`))
      .map(({ name }) => `${command} --${name}`),
  )

  expect(silent).toEqual([])
})

test.each(everyCommand.filter(({ spec }) => spec.example !== undefined))(
  'the example of "$name" is understood',
  ({ spec }) => {
    for (const line of spec.example?.split('\n') ?? []) {
      const own = /(?:^|\()taco ([^)>]*)/.exec(line)?.[1]
      expect(own, line).toBeDefined()
      expect(parseArgs(program, words(own ?? ''), {}).spec.run).toBeDefined()
    }
  },
)

test('the list of exit codes names every command that has one of its own', () => {
  const found = leaves.filter(({ spec }) => spec.options?.some(({ name }) => name === 'exit-code'))

  expect(found.length).toBeGreaterThan(2)
  for (const { name } of found) expect(exitCodeHelp).toContain(`\`${name}\``)
})

test('every argument is explained', () => {
  const silent = leaves.flatMap(({ name: command, spec }) =>
    (spec.args ?? []).flatMap(({ name, says }) => (says === undefined ? [`${command} <${name}>`] : [])),
  )

  expect(silent).toEqual([])
})
