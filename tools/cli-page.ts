// docs/cli.md is written from the commands themselves, so that it cannot say anything else than they do.

import type { Command } from 'commander'
import { buildProgram } from '../src/entry/cli/program.ts'

const intro = `# The command line

A command talks to a server, or works on a bucket without any server; the API is the same. Which one it is, first found counts:

| | a server | a bucket |
|---|---|---|
| option | \`--server https://…\` | \`--bucket s3://…\` |
| environment | \`TACO_SERVER\` | \`TACO_BUCKET\` |
| remembered | \`taco use https://…\` | \`taco use s3://…\` |

With none of them it is the server at http://127.0.0.1:8226. The token comes from \`TACO_TOKEN\`, \`TACO_TOKEN_FILE\` or \`--token-file\`, the organization from \`TACO_ORG\` or \`--org\`; both have fitting defaults.

Results go to stdout, everything else to stderr. \`--json\` prints what the API answers, for scripts. Every error has a hint, and a code that [errors.md](errors.md) explains. Colours and progress appear on a terminal only.
`

export function cliPage(): string {
  const program = buildProgram(() => undefined)
  const exitCodes = helpOf(program).split('Exit codes:')[1] ?? ''
  return [
    intro,
    `## Options of every command\n\n${optionTable(program)}\n`,
    `## Exit codes\n\n${exitCodeTable(exitCodes)}\n`,
    '## Commands\n',
    ...leaves(program).map(({ command, path }) => section(command, path)),
  ].join('\n')
}

interface LeafCommand {
  readonly command: Command
  readonly path: string
}

function leaves(command: Command, path = command.name()): readonly LeafCommand[] {
  if (command.commands.length === 0) return [{ command, path }]
  return command.commands.flatMap((child) => leaves(child, `${path} ${child.name()}`))
}

function section(command: Command, path: string): string {
  const example = helpOf(command).split('Example:\n')[1]?.replaceAll(/^ {2}/gm, '').trim() ?? ''
  const usage = `${path} ${command.usage().replace('[options] ', '')}`.trim()
  const aliases = command.aliases().map((alias) => `\`${alias}\``)
  return [
    `### ${path}\n`,
    `${sentence(command.description())}${aliases.length === 0 ? '' : ` Also ${aliases.join(', ')}.`}\n`,
    `\`\`\`sh\n${example === '' ? usage : example}\n\`\`\`\n`,
    argumentTable(command),
    command.options.length === 0 ? '' : `${optionTable(command)}\n`,
  ]
    .filter(Boolean)
    .join('\n')
}

function argumentTable(command: Command): string {
  const rows = command.registeredArguments.map((argument) => {
    const name = argument.required ? `<${argument.name()}>` : `[${argument.name()}]`
    return `| \`${name}\` | ${argument.description} |`
  })
  return rows.length === 0 ? '' : `| argument | |\n|---|---|\n${rows.join('\n')}\n`
}

function optionTable(command: Command): string {
  const rows = command.options
    .filter((option) => !option.hidden)
    .map((option) => {
      const variable = option.envVar === undefined ? '' : ` (\`${option.envVar}\`)`
      const choices = option.argChoices === undefined ? '' : `: ${option.argChoices.join(', ')}`
      const usual = typeof option.defaultValue === 'string' ? `; usually ${option.defaultValue}` : ''
      return `| \`${option.flags}\` | ${option.description.replaceAll('|', '\\|')}${choices}${usual}${variable} |`
    })
  return `| option | |\n|---|---|\n${rows.join('\n')}`
}

function exitCodeTable(text: string): string {
  const rows = [...text.matchAll(/^ {2}(\d+) +(.+)$/gm)].map(
    ([, code, meaning]) => `| ${code} | ${meaning} |`,
  )
  const rest = /^ {2}(`.+)$/m.exec(text)?.[1] ?? ''
  return `| code | meaning |\n|---|---|\n${rows.join('\n')}\n\n${rest}`
}

function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({ writeOut: (part) => (text += part) })
  command.outputHelp()
  return text
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
