import { command } from '../../spec/spec.ts'
import type { CommandSpec } from '../../spec/spec.ts'
import { newSecretKey } from './secret-key.ts'
import { trust } from './tls.ts'

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
  {
    name: 'tls',
    says: 'the local certificate authority of `taco serve --tls auto`',
    children: [
      command({
        name: 'trust',
        says: 'explain how to trust the local authority; changes nothing',
        example: 'taco tls trust',
        run: trust,
      }),
    ],
  },
]
