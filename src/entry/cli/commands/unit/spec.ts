import * as org from './org.ts'
import * as unit from './unit.ts'
import { command, keepOptions, unitArg, yesOption } from '../../spec/spec.ts'
import type { CommandSpec, OptionSpec } from '../../spec/spec.ts'

const keepEvents: OptionSpec = {
  name: 'keep-events',
  value: 'age',
  says: 'remove events that are older, e.g. 90d; "all" keeps them',
}

const limitOptions: readonly OptionSpec[] = [
  { name: 'max-units', value: 'count', says: 'most units; "none" takes the limit away' },
  { name: 'max-versions', value: 'count', says: 'most versions kept of a unit, or "none"' },
  { name: 'max-bytes', value: 'size', says: 'most bytes of states and versions, e.g. 20GB, or "none"' },
]

const orgArg = { name: 'org', says: 'organization name' }

const label: OptionSpec = {
  name: 'label',
  short: 'l',
  value: 'key=value',
  many: true,
  says: 'label (repeatable)',
}
const description: OptionSpec = { name: 'description', value: 'text', says: 'description' }

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
        { ...label, says: 'only units with this label (repeatable)' },
        { name: 'deleted', says: 'list deleted units instead' },
        { name: 'locked', says: 'only locked units' },
      ],
      example: 'taco unit ls prod/ --label team=network',
      run: unit.list,
    }),
    command({
      name: 'create',
      says: 'create a unit; the name of a renamed or deleted unit can be reused',
      args: [{ name: 'unit', says: 'unit name: a path such as prod/network' }],
      options: [
        {
          name: 'key',
          value: 'key',
          says: 'key of its state in the bucket (default: <unit>/terraform.tfstate)',
        },
        description,
        label,
        { name: 'allow-decrypt', says: 'allow a plain state to replace an encrypted one' },
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
      says: 'change the description, labels or settings of a unit',
      args: [unitArg],
      options: [
        description,
        { ...label, says: 'set a label; "key=" removes it (repeatable)' },
        {
          name: 'allow-decrypt',
          negatable: true,
          says: 'allow a plain state to replace an encrypted one; --no-allow-decrypt forbids it',
        },
        ...keepOptions,
        { name: 'keep-default', says: "use the organization's retention again" },
      ],
      example: 'taco unit set prod/network --label team=platform --keep-days 90',
      run: unit.set,
    }),
    command({
      name: 'rename',
      says: 'rename a unit; its state does not move, and engines cannot use the old name',
      args: [unitArg, { name: 'new-name', says: 'a path such as prod/network' }],
      example: 'taco unit rename prod/network prod/vpc',
      run: unit.rename,
    }),
    command({
      name: 'rm',
      alias: 'delete',
      says: 'delete a unit; its history is kept, and `taco unit restore` restores it',
      args: [unitArg],
      options: [{ name: 'force', says: 'delete it even if its state has resources' }, yesOption],
      example: 'taco unit rm dev/scratch --yes',
      run: unit.remove,
    }),
    command({
      name: 'restore',
      says: 'restore a deleted unit',
      args: [{ name: 'unit', says: 'its former name, or its id if several units had that name' }],
      options: [{ name: 'as', value: 'name', says: 'restore it under this name' }],
      example: 'taco unit restore dev/scratch',
      run: unit.restore,
    }),
  ],
}

export const orgCommands: CommandSpec = {
  name: 'org',
  says: 'organizations: each owns its units',
  children: [
    command({
      name: 'ls',
      alias: 'list',
      says: 'list organizations',
      options: [{ name: 'deleted', says: 'list deleted organizations instead' }],
      example: 'taco org ls',
      run: org.list,
    }),
    command({
      name: 'show',
      says: 'show an organization',
      args: [{ name: 'org', optional: true, says: 'organization; default: the current one' }],
      options: [{ name: 'usage', says: 'with the number of units and versions, and their size' }],
      example: 'taco org show acme --usage',
      run: org.show,
    }),
    command({
      name: 'create',
      says: 'create an organization',
      args: [{ name: 'org', says: 'organization name: a-z, 0-9, "-" and "_"' }],
      options: [
        {
          name: 'prefix',
          value: 'folder',
          says: 'folder of its states in the bucket, such as teams/a/ (default: <org>/)',
        },
        ...limitOptions,
        ...keepOptions,
        keepEvents,
      ],
      example: 'taco org create acme --prefix teams/acme/ --keep-days 365',
      run: org.create,
      makesBucket: true,
    }),
    command({
      name: 'set',
      says: 'change limits, and how long versions and events are kept',
      args: [orgArg],
      options: [
        ...limitOptions,
        ...keepOptions,
        keepEvents,
        { name: 'keep-all', says: 'keep all versions and events' },
      ],
      example: 'taco org set default --keep-versions 50 --keep-days 365 --keep-events 90d',
      run: org.set,
    }),
    command({
      name: 'rename',
      says: 'rename an organization; nothing moves, and its former names still lead to it',
      args: [orgArg, { name: 'new-name', says: 'a-z, 0-9, "-" and "_"' }],
      example: 'taco org rename acme apex',
      run: org.rename,
    }),
    command({
      name: 'rm',
      alias: 'delete',
      says: 'delete an organization; units and states are kept, and `taco org restore` restores it',
      args: [orgArg],
      options: [{ name: 'force', says: 'delete it even if units are locked' }, yesOption],
      example: 'taco org rm acme --yes',
      run: org.remove,
    }),
    command({
      name: 'restore',
      says: 'restore a deleted organization',
      args: [orgArg],
      example: 'taco org restore acme',
      run: org.restore,
    }),
  ],
}
