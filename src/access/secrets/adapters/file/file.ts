import { open } from 'node:fs/promises'
import { TacoError, reasonOf } from '../../../../base/errors.ts'
import type { Log } from '../../../../base/log.ts'
import type { KeySource } from '../../key-source.ts'

const MOST_BYTES = 64 * 1024
const GROUP_AND_OTHERS = 0o077

/** Keys in a file, for example a secret that is mounted into a container. */
export function fileKeys(path: string, warn: Log['warn']): KeySource {
  return {
    label: `the file ${path}`,
    async read() {
      const file = await open(path).catch((error: unknown) => {
        throw unreadable(path, reasonOf(error), error)
      })
      try {
        const { mode, size } = await file.stat()
        if (size > MOST_BYTES) throw unreadable(path, 'it is too large to be a list of keys')
        // Not refused: Kubernetes mounts secrets this way, in containers where there is only one user.
        if (process.platform !== 'win32' && (mode & GROUP_AND_OTHERS) !== 0) {
          const hint = `Run \`chmod 600 ${path}\`.`
          warn('other users of this machine can read the file with the secret keys', { path, hint })
        }
        return await file.readFile('utf8')
      } catch (error) {
        throw error instanceof TacoError ? error : unreadable(path, reasonOf(error), error)
      } finally {
        await file.close()
      }
    },
  }
}

function unreadable(path: string, reason: string, cause?: unknown): TacoError {
  return new TacoError('BAD_REQUEST', `The file with the secret keys, ${path}, cannot be read: ${reason}.`, {
    facts: { field: 'secretKeyFile' },
    hint: 'Give --secret-key-file a file with one key per line, the current one first.',
    cause,
  })
}
