import { completionScript, isShell } from '../spec/completion-script.ts'
import { usageError } from '../terminal/exit-codes.ts'
import { command } from '../spec/spec.ts'
import type { CommandSpec } from '../spec/spec.ts'

/** It describes the whole tree and is a part of it, so it gets the tree when it is called. */
export function completionCommand(program: () => CommandSpec): CommandSpec {
  return command({
    name: 'completion',
    says: 'print a completion script',
    args: [
      {
        name: 'shell',
        choices: ['bash', 'zsh', 'fish'],
        says: 'bash, zsh or fish (there: `taco completion fish | source`)',
      },
    ],
    example: 'source <(taco completion bash)',
    async run({ output }, [shell = '']) {
      if (!isShell(shell)) {
        throw usageError(`there is no completion for ${JSON.stringify(shell)}`, 'choose bash, zsh or fish')
      }
      output.data(completionScript(program(), shell))
    },
  })
}
