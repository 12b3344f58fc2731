import { TacoError } from '../../../base/errors.ts'
import { oneLine } from '../../../base/text/terminal-text.ts'
import { interrupted, usageError } from './exit-codes.ts'
import type { Session } from '../session.ts'

/** Asks before something is deleted. Without a terminal there is no one to ask, so --yes is needed. */
export async function confirm(session: Session, question: string, yes: boolean | undefined): Promise<void> {
  if (yes === true) return
  const { stdin, stderr } = session.world
  if (stdin.isTTY !== true || stderr.isTTY !== true) {
    throw usageError(
      'This needs a confirmation, and there is no terminal to ask on.',
      'Use --yes to skip the question.',
    )
  }
  const answer = await ask(session, `${oneLine(question)} [y/N] `)
  if (/^y(es)?$/i.test(answer.trim())) return
  throw new TacoError('CANCELLED', 'Nothing was changed.', {
    hint: 'Answer "y", or give --yes.',
    facts: { exitCode: 1 },
  })
}

/** The end of the input is an answer, too; Ctrl-C, which readline keeps from the process, is an interrupt. */
async function ask({ world, signal }: Session, question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: world.stdin, output: world.stderr })
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('close', () => resolve(''))
      lines.once('SIGINT', () => reject(interrupted('SIGINT')))
      lines.question(question, { signal }).then(resolve, reject)
    })
  } finally {
    lines.close()
  }
}
