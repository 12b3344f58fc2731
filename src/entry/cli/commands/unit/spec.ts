import * as org from './org.ts'
import * as unit from './unit.ts'
import { command, keepOptions, unitArg, yesOption } from '../../spec/spec.ts'
import type { CommandSpec, OptionSpec } from '../../spec/spec.ts'

const keepEvents: OptionSpec = {
  name: 'keep-events',
  value: 'age',
  says: 'remove events that are older, e.g. 90d; "all" keeps them',
}

const label: OptionSpec = {
  name: 'label',
  short: 'l',
  value: 'key=value',
  many: true,
  says: 'label (repeatable)',
}
const description: OptionSpec = { name: 'description', value: 'text', says: 'what it is' }

export const unitCommands: CommandSpec = {
  name: 'unit',
  says: 'units: root modules, each with one state',
  children: [
    command({
      name: 'ls',
      alias: 'list',
      says: 'list units',
      args: [{ name: 'prefix', optional: true, says: 'only names that start with this' }],
      options: [
        { name: 'search', value: 'text', says: 'only names that contain this' },
        { ...label, says: 'only with this label (repeatable)' },
        { name: 'deleted', says: 'the deleted ones instead' },
        { name: 'locked', says: 'only locked ones' },
      ],
      example: 'taco unit ls prod/ --label team=network',
      run: unit.list,
    }),
    command({
      name: 'create',
      says: 'create a unit, also by a name that a renamed or deleted unit had',
      args: [{ name: 'unit', says: 'its name: a path such as prod/network' }],
      options: [
        {
          name: 'key',
          value: 'key',
          says: 'where its state lies in the bucket (default: <unit>/terraform.tfstate)',
        },
        description,
        label,
        { name: 'allow-decrypt', says: 'allow a plain state over an encrypted one' },
        ...keepOptions,
      ],
      example: 'taco unit create prod/network --label team=network',
      run: unit.create,
      makesBucket: true,
    }),
    command({
      name: 'show',
      says: 'show a unit',
      args: [unitArg],
      example: 'taco unit show prod/network',
      run: unit.show,
    }),
    command({
      name: 'set',
      says: 'change description, labels or rules of a unit',
      args: [unitArg],
      options: [
        description,
        { ...label, says: 'set a label; "key=" removes it (repeatable)' },
        {
          name: 'allow-decrypt',
          negatable: true,
          says: 'allow a plain state over an encrypted one; --no-allow-decrypt refuses it',
        },
        ...keepOptions,
        { name: 'keep-default', says: "go back to the organization's retention" },
      ],
      example: 'taco unit set prod/network --label team=platform --keep-days 90',
      run: unit.set,
    }),
    command({
      name: 'rename',
      says: 'rename a unit; its state stays where it is, and engines are refused under the old name',
      args: [unitArg, { name: 'new-name', says: 'a path such as prod/network' }],
      example: 'taco unit rename prod/network prod/vpc',
      run: unit.rename,
    }),
    command({
      name: 'rm',
      alias: 'delete',
      says: 'delete a unit; its history stays and `restore` brings it back',
      args: [unitArg],
      options: [{ name: 'force', says: 'even if its state still has resources' }, yesOption],
      example: 'taco unit rm dev/scratch --yes',
      run: unit.remove,
    }),
    command({
      name: 'restore',
      says: 'bring a deleted unit back',
      args: [{ name: 'unit', says: 'the name it had, or its id if several had the name' }],
      options: [{ name: 'as', value: 'name', says: 'under another name' }],
      example: 'taco unit restore dev/scratch',
      run: unit.restore,
    }),
  ],
}

export const orgCommands: CommandSpec = {
  name: 'org',
  says: 'organizations: each owns its units',
  children: [
    command({ name: 'ls', alias: 'list', says: 'list organizations', example: 'taco org ls', run: org.list }),
    command({
      name: 'show',
      says: 'show an organization',
      args: [{ name: 'org', optional: true, says: 'default: the one in use' }],
      example: 'taco org show default',
      run: org.show,
    }),
    command({
      name: 'create',
      says: 'create an organization',
      args: [{ name: 'org', says: 'its name: a-z, 0-9, "-" and "_"' }],
      options: [...keepOptions, keepEvents],
      example: 'taco org create acme --keep-days 365',
      run: org.create,
      makesBucket: true,
    }),
    command({
      name: 'set',
      says: 'change how long versions and events are kept',
      args: [{ name: 'org', says: 'its name' }],
      options: [...keepOptions, keepEvents, { name: 'keep-all', says: 'keep all versions and events' }],
      example: 'taco org set default --keep-versions 50 --keep-days 365 --keep-events 90d',
      run: org.set,
    }),
  ],
}
