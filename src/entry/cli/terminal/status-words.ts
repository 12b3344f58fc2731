import type { Output } from './output.ts'

interface Shown {
  readonly status: string
  readonly ready: boolean
  readonly marks: readonly string[]
}

type Style = Parameters<Output['style']>[0]

const signs: Readonly<Record<string, readonly [string, Style]>> = {
  'up-to-date': ['✓', 'green'],
  stale: ['●', 'red'],
  waiting: ['◔', 'yellow'],
  unknown: ['?', 'dim'],
  'never-applied': ['○', 'cyan'],
  'state-missing': ['!', 'red'],
}

/** One coloured sign per status; the word is beside it, for people who see no colours. */
export function signOf({ status }: Pick<Shown, 'status'>, style: Output['style']): string {
  const [sign, colour] = signs[status] ?? ['?', 'dim']
  return style(colour, sign)
}

export function sayStatus({ status, ready, marks }: Shown): string {
  return [`${status.replaceAll('-', ' ')}${ready ? ', ready' : ''}`, ...marks].join(', ')
}

export function paintStatus(shown: Shown, style: Output['style']): string {
  return style(signs[shown.status]?.[1] ?? 'dim', sayStatus(shown))
}
