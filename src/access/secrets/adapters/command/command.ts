import { spawn } from 'node:child_process'
import { TacoError } from '../../../../base/errors.ts'
import { oneLine } from '../../../../base/text/terminal-text.ts'
import type { KeySource } from '../../key-source.ts'

const MOST_BYTES = 64 * 1024
const PATIENCE_MS = 60_000

export interface CommandOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly timeoutMs?: number
}

/**
 * Keys that a program prints: any key management service that has a command line. The shell runs it, so it can be a
 * pipe. The keys come through a pipe as well, so no list of processes shows them.
 */
export function commandKeys(command: string, options: CommandOptions): KeySource {
  const { env, timeoutMs = PATIENCE_MS } = options
  return {
    label: 'the output of --secret-key-command',
    read: () =>
      new Promise((resolve, reject) => {
        const isGroup = process.platform !== 'win32'
        const child = spawn(command, {
          shell: true,
          env: { ...env },
          stdio: ['ignore', 'pipe', 'pipe'],
          detached: isGroup,
          windowsHide: true,
        })
        let printed = ''
        let complaint = ''
        let failure: string | undefined
        function stop(why: string): void {
          failure ??= why
          try {
            // The whole pipe, not only the shell.
            if (isGroup && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
            else child.kill('SIGKILL')
          } catch {
            // It has ended meanwhile.
          }
          // A program that left the group may hold the pipes open for ever.
          child.stdout.destroy()
          child.stderr.destroy()
        }
        const late = setTimeout(() => stop(`it did not end within ${timeoutMs / 1000} s`), timeoutMs)
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          printed += text
          if (printed.length > MOST_BYTES) stop('it printed too much to be a list of keys')
        })
        child.stderr.setEncoding('utf8').on('data', (text: string) => {
          complaint = (complaint + text).slice(-500)
        })
        child.on('error', (error) => (failure ??= error.message))
        child.on('close', (code, signal) => {
          clearTimeout(late)
          if (code === 0 && failure === undefined) return resolve(printed)
          const ending = code === null ? `it was ended by ${signal ?? 'a signal'}` : `exit code ${code}`
          const said = complaint.trim() === '' ? '' : `; it printed: ${oneLine(complaint.trim())}`
          reject(failed(`${failure ?? ending}${said}`))
        })
      }),
  }
}

function failed(reason: string): TacoError {
  return new TacoError(
    'BAD_REQUEST',
    `The program of --secret-key-command failed: ${reason.replace(/\.$/, '')}.`,
    {
      facts: { field: 'secretKeyCommand' },
      hint: 'Run it by hand as the user of the server. It must print one key per line, the current one first.',
    },
  )
}
