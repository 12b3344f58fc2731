import { command } from '../../spec/spec.ts'
import type { CommandSpec } from '../../spec/spec.ts'
import { newSecretKey } from './secret-key.ts'

export const serverCommands: readonly CommandSpec[] = [
  {
    name: 'secret-key',
    says: 'secret keys, with which a server seals the secrets that it stores in the bucket',
    children: [
      command({
        name: 'new',
        says: 'print a new key, for TACO_SECRET_KEY or a file',
        example: 'taco secret-key new',
        run: newSecretKey,
      }),
    ],
  },
]
