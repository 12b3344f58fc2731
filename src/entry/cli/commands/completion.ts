import { completionScript, isShell } from '../completion-script.ts'
import { usageError } from '../failures.ts'
import type { Session } from '../session.ts'

export async function completion(
  { output, program }: Session,
  [shell = '']: readonly string[],
): Promise<void> {
  if (!isShell(shell))
    throw usageError(`there is no completion for ${JSON.stringify(shell)}`, 'choose bash, zsh or fish')
  output.print(completionScript(program, shell))
}
