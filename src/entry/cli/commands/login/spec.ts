import { command } from '../../spec/spec.ts'
import type { ArgSpec, CommandSpec } from '../../spec/spec.ts'
import { login } from './login.ts'
import { logout } from './logout.ts'
import { s3Keys } from './s3-keys.ts'
import { whoami } from './whoami.ts'

const serverArg: ArgSpec = {
  name: 'server',
  optional: true,
  says: 'https://taco.example.com; default: the server that commands use',
}

export const loginCommands: readonly CommandSpec[] = [
  command({
    name: 'login',
    says: 'sign in to a server with the browser, and keep a token for it',
    args: [serverArg],
    options: [
      { name: 'device', says: 'sign in with a browser on another machine: shows a code to type there' },
      { name: 'token-stdin', says: 'read a token from the standard input, and keep it' },
      { name: 'workload', says: 'in a CI job: exchange the identity of the job for a short-lived token' },
      {
        name: 'id-token-file',
        value: 'path',
        says: 'the identity of the job; default: TACO_ID_TOKEN, or from GitHub Actions',
      },
      { name: 'browser', isOn: true, says: 'only print the address to open' },
      {
        name: 'for',
        value: 'tool',
        many: true,
        choices: ['terraform', 'tofu', 'none'],
        says: 'also give the token to "terraform" or "tofu", for `cloud` and `remote` blocks; default: both for http://localhost, else none',
      },
    ],
    example: 'taco login https://taco.example.com',
    run: login,
  }),
  command({
    name: 'whoami',
    says: 'show who you are to the server, through which token, and your roles',
    options: [{ name: 'token', says: 'print the token itself, for example for TF_HTTP_PASSWORD' }],
    example: 'taco whoami --json',
    run: whoami,
  }),
  command({
    name: 's3-keys',
    says: 'print the S3 keys of your token, for code with backend "s3"',
    options: [
      {
        name: 'format',
        value: 'format',
        choices: ['env', 'process'],
        fallback: 'env',
        says: 'commands for a shell, or JSON for credential_process in ~/.aws/config',
      },
    ],
    example: `eval "$(taco s3-keys)"
taco s3-keys --format process`,
    run: s3Keys,
  }),
  command({
    name: 'logout',
    says: 'revoke the token of `taco login` and delete it from this machine',
    args: [serverArg],
    example: 'taco logout https://taco.example.com',
    run: logout,
  }),
]
