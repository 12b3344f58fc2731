// docs/cli.md is generated from the commands themselves, so that the two cannot differ.

import { exitCodeHelp } from '../src/entry/cli/terminal/exit-codes.ts'
import { usageOf } from '../src/entry/cli/spec/help.ts'
import { program } from '../src/entry/cli/program.ts'
import { type CommandSpec, type OptionSpec, allCommands, longOf } from '../src/entry/cli/spec/spec.ts'

const intro = `# The command line

A command talks to a server, or works directly on a bucket; the API is the same. The first of these that is set counts:

| | a server | a bucket |
|---|---|---|
| option | \`--server https://…\` | \`--bucket s3://…\` |
| environment | \`TACO_SERVER\` | \`TACO_BUCKET\` |
| default | \`taco use https://…\` | \`taco use s3://…\` |

If none is set, the server is http://127.0.0.1:8226. The token comes from \`--token-file\`, \`TACO_TOKEN\` or \`TACO_TOKEN_FILE\`, or else from \`taco login\`; the organization comes from \`TACO_ORG\` or \`--org\`. Without a token, none is sent; the default organization is \`default\`.

Results go to stdout, everything else to stderr. \`--json\` prints the answer of the API. Every error has a hint, and a code that [errors.md](errors.md) explains. Colours and progress appear on a terminal only.
`

export function cliPage(): string {
  const leaves = [...allCommands(program)].filter(({ spec }) => spec.run !== undefined)
  return [
    intro,
    `## Options of every command\n\n${optionTable(program)}\n`,
    `## Exit codes\n\n${exitCodeTable(exitCodeHelp)}\n`,
    '## Commands\n',
    ...leaves.map(({ path, spec }) => section(spec, ['taco', ...path].join(' '))),
  ].join('\n')
}

function section(spec: CommandSpec, path: string): string {
  const usage = `${path} ${usageOf(spec)}`.trim()
  return [
    `### ${path}\n`,
    `${sentence(spec.says)}${spec.alias === undefined ? '' : ` Also \`${spec.alias}\`.`}\n`,
    `\`\`\`sh\n${spec.example ?? usage}\n\`\`\`\n`,
    argumentTable(spec),
    (spec.options ?? []).length === 0 ? '' : `${optionTable(spec)}\n`,
  ]
    .filter(Boolean)
    .join('\n')
}

function argumentTable({ args = [] }: CommandSpec): string {
  const rows = args.map(({ name, says, optional, rest, many }) => {
    const word = rest === true || many === true ? `${name}...` : name
    const shown = optional === true ? `[${word}]` : `<${word}>`
    return `| \`${shown}\` | ${says ?? ''} |`
  })
  return rows.length === 0 ? '' : `| argument | |\n|---|---|\n${rows.join('\n')}\n`
}

function optionTable({ options = [] }: CommandSpec): string {
  const rows = options.map((option) => {
    const variable = option.env === undefined ? '' : ` (\`${option.env}\`)`
    const choices = option.choices === undefined ? '' : ` (one of ${option.choices.join(', ')})`
    const usual = option.fallback === undefined ? '' : `; usually ${option.fallback}`
    return `| \`${spelled(option)}\` | ${option.says.replaceAll('|', '\\|')}${choices}${usual}${variable} |`
  })
  return `| option | |\n|---|---|\n${rows.join('\n')}`
}

function spelled(option: OptionSpec): string {
  const { short, value, valueOptional } = option
  const given = value === undefined ? '' : valueOptional === true ? `[=${value}]` : ` <${value}>`
  return `${short === undefined ? '' : `-${short}, `}${longOf(option)}${given}`
}

function exitCodeTable(text: string): string {
  const rows = [...text.matchAll(/^ {2}(\d+) +(.+)$/gm)].map(
    ([, code, meaning]) => `| ${code} | ${meaning} |`,
  )
  const rest = /^ {2}(`.+)$/m.exec(text)?.[1] ?? ''
  return `| code | meaning |\n|---|---|\n${rows.join('\n')}\n\n${rest}`
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
