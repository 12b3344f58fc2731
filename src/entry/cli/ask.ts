import { TacoError } from '../../base/errors.ts'
import { usageError } from './failures.ts'
import type { Session } from './session.ts'

/** Asks before something is taken away. Without a terminal there is nobody to ask, so --yes is needed. */
export async function confirm(session: Session, question: string, yes: boolean | undefined): Promise<void> {
  if (yes === true) return
  const { stdin, stderr } = session.world
  if (stdin.isTTY !== true || stderr.isTTY !== true) {
    throw usageError(
      'this needs a confirmation, and there is no terminal to ask on',
      'give --yes to do it without being asked',
    )
  }
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: stdin, output: stderr })
  try {
    const answer = await lines.question(`${question} [y/N] `, { signal: session.signal })
    if (/^y(es)?$/i.test(answer.trim())) return
  } finally {
    lines.close()
  }
  throw new TacoError('CANCELLED', 'nothing was done', {
    hint: 'answer "y", or give --yes',
    facts: { exitCode: 1 },
  })
}
