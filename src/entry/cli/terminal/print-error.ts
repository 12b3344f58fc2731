import { TacoError, messageOf } from '../../../base/errors.ts'
import { exitCodeOf } from './exit-codes.ts'
import { isColourful } from './output.ts'
import type { GlobalFlags } from '../config/settings.ts'
import { oneLine, plainJson, plainLines } from '../../../base/text/terminal-text.ts'
import type { World } from '../world.ts'
import { styleText } from 'node:util'

/** Every failure ends here: what happened, what to do next, and the id under which the server's log has it. */
export function complain(world: World, flags: GlobalFlags, error: unknown): number {
  const exitCode = exitCodeOf(error)
  const known = error instanceof TacoError ? error : undefined
  const message = oneLine(messageOf(error)) || 'something failed without saying what'
  const hint = known?.hint ?? 'Run the same command with --debug to see where the error comes from.'
  const requestId = known?.facts['requestId']
  const holder = known?.facts['holder']
  const faults = known?.facts['faults']
  if (flags.json === true) {
    const { code } = known ?? { code: 'UNEXPECTED' }
    world.stderr.write(
      `${plainJson(JSON.stringify({ error: { code, message, hint, exitCode, requestId, holder, faults } }))}\n`,
    )
  } else {
    const colour = isColourful(world.stderr, world.env, flags)
    const paint = (style: 'red' | 'cyan' | 'dim', text: string) =>
      colour ? styleText(style, text, { validateStream: false }) : text
    // The faults of a file are a line each, as editors and other tools expect them.
    const told = Array.isArray(faults) ? messageOf(error).split('\n').map(oneLine) : [message]
    const lines = told.map((line) => `${paint('red', 'error:')} ${line}`)
    if (isHolder(holder)) lines.push(...holderLines(holder))
    lines.push(`${paint('cyan', 'hint:')} ${oneLine(hint)}`)
    if (typeof requestId === 'string') lines.push(paint('dim', `request id: ${oneLine(requestId)}`))
    world.stderr.write(lines.map((line) => `${line}\n`).join(''))
  }
  if (flags.debug === true) world.stderr.write(`${plainLines(stackOf(error), { hasColours: false })}\n`)
  return exitCode
}

function isHolder(holder: unknown): holder is Readonly<Record<string, unknown>> {
  return typeof holder === 'object' && holder !== null
}

function holderLines(holder: Readonly<Record<string, unknown>>): string[] {
  const shown = [
    ['lock', holder['ID']],
    ['holder', holder['Who']],
    ['operation', holder['Operation']],
    ['since', holder['Created']],
    ['info', holder['Info']],
  ] as const
  return shown.flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [`  ${`${name}:`.padEnd(11)}${oneLine(value)}`] : [],
  )
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = error.stack ?? error.message
  return error.cause === undefined ? own : `${own}\ncaused by: ${stackOf(error.cause)}`
}
