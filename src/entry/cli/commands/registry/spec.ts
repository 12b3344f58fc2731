import { command, yesOption } from '../../spec/spec.ts'
import type { ArgSpec, CommandSpec } from '../../spec/spec.ts'
import * as module from './module.ts'
import * as provider from './provider.ts'

const moduleArg: ArgSpec = { name: 'module', says: 'as <name>/<provider>, such as network/aws' }
const providerArg: ArgSpec = { name: 'provider', says: 'name of the provider' }
const versionArg: ArgSpec = { name: 'version', says: 'such as 1.2.0' }
const someVersion: ArgSpec = { ...versionArg, optional: true, says: 'only this version' }
const folderArg = (says: string): ArgSpec => ({ name: 'folder', optional: true, says })

export const registryCommands: CommandSpec = {
  name: 'registry',
  says: 'modules and providers that the organization publishes',
  children: [
    {
      name: 'module',
      says: 'modules of the registry',
      children: [
        command({
          name: 'publish',
          says: 'publish a version of a module from a folder; .terraformignore says what is left out',
          args: [moduleArg, versionArg, folderArg('folder of the module (default: this one)')],
          example: 'taco registry module publish network/aws 1.2.0 ./modules/network',
          run: module.publish,
        }),
        command({
          name: 'ls',
          alias: 'list',
          says: 'list modules',
          example: 'taco registry module ls',
          run: module.list,
        }),
        command({
          name: 'show',
          says: 'list the versions of a module, or show what one of them takes, gives and uses',
          args: [moduleArg, someVersion],
          example: 'taco registry module show network/aws 1.2.0',
          run: module.show,
        }),
        command({
          name: 'deprecate',
          says: 'warn people about a version of a module; engines install it all the same',
          args: [moduleArg, versionArg],
          options: [
            { name: 'reason', value: 'text', says: 'what to use instead (required)' },
            { name: 'link', value: 'url', says: 'what to read about it' },
          ],
          example: 'taco registry module deprecate network/aws 1.2.0 --reason "Use 2.0.0."',
          run: module.deprecate,
        }),
        command({
          name: 'undeprecate',
          says: 'take back the deprecation of a version of a module',
          args: [moduleArg, versionArg],
          example: 'taco registry module undeprecate network/aws 1.2.0',
          run: module.undeprecate,
        }),
        command({
          name: 'rm',
          says: 'delete a module, or one version of it',
          args: [moduleArg, someVersion],
          options: [yesOption],
          example: 'taco registry module rm network/aws 1.2.0 --yes',
          run: module.remove,
        }),
      ],
    },
    {
      name: 'provider',
      says: 'providers of the registry',
      children: [
        command({
          name: 'publish',
          says: 'publish a version of a provider from a folder with its zip files, SHA256SUMS and SHA256SUMS.sig',
          args: [providerArg, versionArg, folderArg('folder with the files (default: this one)')],
          options: [
            {
              name: 'key',
              value: 'file',
              says: 'armored public key that signed it (default: the only key there is)',
            },
            {
              name: 'protocol',
              value: 'version',
              many: true,
              says: 'plugin protocol, such as 6.0 (default: 5.0; repeatable)',
            },
          ],
          example: 'taco registry provider publish internal 0.3.1 ./dist --key key.asc',
          run: provider.publish,
        }),
        command({
          name: 'ls',
          alias: 'list',
          says: 'list providers',
          example: 'taco registry provider ls',
          run: provider.list,
        }),
        command({
          name: 'show',
          says: 'list the versions of a provider',
          args: [providerArg],
          example: 'taco registry provider show internal',
          run: provider.show,
        }),
        command({
          name: 'rm',
          says: 'delete a provider, or one version of it',
          args: [providerArg, someVersion],
          options: [yesOption],
          example: 'taco registry provider rm internal 0.3.1 --yes',
          run: provider.remove,
        }),
      ],
    },
    {
      name: 'key',
      says: 'public keys that sign providers',
      children: [
        command({
          name: 'add',
          says: 'add a public key',
          args: [{ name: 'file', says: 'armored public key, as gpg exports it' }],
          example: 'taco registry key add key.asc',
          run: provider.keyAdd,
        }),
        command({
          name: 'ls',
          alias: 'list',
          says: 'list public keys',
          example: 'taco registry key ls',
          run: provider.keyList,
        }),
        command({
          name: 'rm',
          says: 'delete a public key',
          args: [{ name: 'key', says: 'id of the key' }],
          options: [yesOption],
          example: 'taco registry key rm 1B5D522A6395B225 --yes',
          run: provider.keyRemove,
        }),
      ],
    },
  ],
}
