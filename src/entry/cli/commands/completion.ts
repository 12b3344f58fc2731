import { isShell, shims } from '../completion/shims.ts'
import { usageError } from '../terminal/exit-codes.ts'
import { command } from '../spec/spec.ts'

export const completionCommand = command({
  name: 'completion',
  says: 'print a completion script, which also completes names of units, outputs and more',
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
      throw usageError(
        `There is no completion for the shell ${JSON.stringify(shell)}.`,
        'Choose bash, zsh or fish.',
      )
    }
    output.data(shims[shell])
  },
})
