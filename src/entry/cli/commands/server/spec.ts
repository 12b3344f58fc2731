import { command, yesOption } from '../../spec/spec.ts'
import type { CommandSpec } from '../../spec/spec.ts'
import * as person from './person.ts'
import * as provider from './provider.ts'
import { newSecretKey } from './secret-key.ts'
import * as servers from './servers.ts'
import * as settings from './settings.ts'
import { trust } from './tls.ts'

const personArg = { name: 'person', says: 'login name or id' }
const providerArg = { name: 'provider', says: 'id of the provider' }
const adminArg = { name: 'who', says: 'a login name, group:<provider>/<group> or email:<address>' }

export const serverCommands: readonly CommandSpec[] = [
  {
    name: 'server',
    says: 'the servers on the bucket, their settings, and who administers them',
    children: [
      command({
        name: 'ls',
        alias: 'list',
        says: 'list the servers that run on the bucket, and those that were not seen for minutes',
        example: 'taco server ls',
        run: servers.list,
      }),
      command({
        name: 'settings',
        says: 'show the settings of the server, or change them',
        options: [
          {
            name: 'org-creators',
            value: 'who',
            choices: ['administrators', 'everyone'],
            says: 'who may create organizations',
          },
          {
            name: 'root-token',
            value: 'on|off',
            choices: ['on', 'off'],
            says: 'whether the server accepts the root token',
          },
        ],
        example: 'taco server settings --root-token off',
        run: settings.settings,
      }),
      {
        name: 'admin',
        says: 'administrators of the server, who may do everything',
        children: [
          command({
            name: 'add',
            says: 'make someone an administrator',
            args: [adminArg],
            example: `taco server admin add email:alice@example.com
taco server admin add group:okta/taco-admins`,
            run: settings.addAdmin,
          }),
          command({
            name: 'rm',
            alias: 'remove',
            says: 'end that',
            args: [adminArg],
            example: 'taco server admin rm alice',
            run: settings.removeAdmin,
          }),
        ],
      },
    ],
  },
  {
    name: 'provider',
    says: 'identity providers through which people sign in',
    children: [
      command({
        name: 'ls',
        alias: 'list',
        says: 'list the sign-in providers',
        example: 'taco provider ls',
        run: provider.list,
      }),
      command({
        name: 'put',
        says: 'add a sign-in provider, or replace its settings',
        args: [providerArg],
        options: [
          {
            name: 'file',
            short: 'f',
            value: 'file',
            says: 'settings in YAML or JSON; "-" for stdin (required): see docs/access.md. clientSecretEnv: NAME takes the secret from an environment variable',
          },
        ],
        example: 'taco provider put okta -f okta.yaml',
        run: provider.put,
      }),
      command({
        name: 'check',
        says: 'ask a provider whether its settings can work',
        args: [providerArg],
        example: 'taco provider check okta',
        run: provider.checkSettings,
      }),
      command({
        name: 'rm',
        alias: 'delete',
        says: 'remove a sign-in provider',
        args: [providerArg],
        options: [yesOption],
        example: 'taco provider rm okta',
        run: provider.remove,
      }),
    ],
  },
  {
    name: 'person',
    says: 'people who have signed in to the server',
    children: [
      command({
        name: 'ls',
        alias: 'list',
        says: 'list the people who have signed in',
        example: 'taco person ls',
        run: person.list,
      }),
      command({
        name: 'show',
        says: 'show a person with their groups',
        args: [personArg],
        example: 'taco person show alice',
        run: person.show,
      }),
      command({
        name: 'suspend',
        says: 'suspend a person: every session and token of theirs is refused within seconds',
        args: [personArg],
        example: 'taco person suspend alice',
        run: person.suspend,
      }),
      command({
        name: 'resume',
        says: 'end that',
        args: [personArg],
        example: 'taco person resume alice',
        run: person.resume,
      }),
      command({
        name: 'sign-out',
        says: 'end all browser sessions of a person; their tokens go on',
        args: [personArg],
        example: 'taco person sign-out alice',
        run: person.signOut,
      }),
    ],
  },
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
