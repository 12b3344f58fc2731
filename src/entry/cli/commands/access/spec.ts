import { command, unitArg, yesOption } from '../../spec/spec.ts'
import type { CommandSpec, OptionSpec } from '../../spec/spec.ts'
import * as access from './access.ts'
import * as grants from './grants.ts'
import * as guard from './guard.ts'
import * as role from './role.ts'
import * as team from './team.ts'

const subject = 'a login name, team:<name>, group:<provider>/<group>, email:<address> or everyone'
const onUnits = (says: string): OptionSpec => ({ name: 'unit', value: 'pattern', many: true, says })
const inProject = (says: string): OptionSpec => ({ name: 'project', value: 'project', says })
const roleArg = { name: 'role', says: 'name of the role; see `taco role ls`' }

export const accessCommands: CommandSpec = {
  name: 'access',
  says: 'who has which role, who may do what, and why',
  children: [
    command({
      name: 'ls',
      alias: 'list',
      says: 'list who has which role',
      example: 'taco access ls',
      run: grants.list,
    }),
    command({
      name: 'grant',
      says: 'give a role to a person, a team, a group or everyone',
      args: [roleArg],
      options: [
        { name: 'to', value: 'who', says: `${subject} (required)` },
        onUnits('only on these units, such as prod/** (repeatable)'),
        inProject('only in this project: its name or id'),
      ],
      example: `taco access grant reader --to alice
taco access grant operator --to team:ops --unit "prod/**"
taco access grant planner --to team:shop --project shop`,
      run: grants.grant,
    }),
    command({
      name: 'revoke',
      says: 'take a role away',
      args: [roleArg],
      options: [
        { name: 'from', value: 'who', says: `${subject} (required)` },
        onUnits(
          'only the grant that is narrowed to exactly these units (repeatable; default: every grant of the role)',
        ),
        inProject('only the grant that is narrowed to this project'),
      ],
      example: 'taco access revoke operator --from team:ops',
      run: grants.revoke,
    }),
    command({
      name: 'explain',
      says: 'say whether somebody may do something, and which rules decide',
      args: [
        { name: 'who', says: 'login name, team:<name>, group:<provider>/<group> or everyone' },
        { name: 'action', says: 'such as state:write; docs/access.md lists all' },
        { name: 'unit', says: 'name or id (default: the organization itself)', optional: true },
      ],
      options: [{ name: 'exit-code', says: 'exit with 7 if it is denied' }],
      example: 'taco access explain alice state:write prod/app',
      run: access.explain,
    }),
    command({
      name: 'test',
      says: 'check a file of expectations about who may do what, for continuous integration',
      args: [{ name: 'file', says: 'in YAML or JSON, "-" for stdin: see docs/access.md' }],
      example: 'taco access test access.yaml',
      run: access.test,
    }),
  ],
}

const teamArg = { name: 'team', says: 'name or id of the team' }
const personArg = { name: 'person', says: 'login name or id of the person' }
const description: OptionSpec = { name: 'description', value: 'text', says: 'what the team is for' }
const group: OptionSpec = {
  name: 'group',
  value: 'provider/group',
  many: true,
  says: 'group of a sign-in provider whose members are in the team, such as okta/platform (repeatable)',
}

export const teamCommands: CommandSpec = {
  name: 'team',
  says: 'teams of the organization',
  children: [
    command({ name: 'ls', alias: 'list', says: 'list the teams', example: 'taco team ls', run: team.list }),
    command({
      name: 'create',
      says: 'create a team',
      args: [{ name: 'name', says: 'of the team: letters, digits, "-" and "_"' }],
      options: [description, group],
      example: 'taco team create ops --group okta/platform',
      run: team.create,
    }),
    command({
      name: 'show',
      says: 'show a team with its members and groups',
      args: [teamArg],
      example: 'taco team show ops',
      run: team.show,
    }),
    command({
      name: 'set',
      says: 'rename a team, or change its description or groups',
      args: [teamArg],
      options: [
        { name: 'name', value: 'name', says: 'new name' },
        description,
        { ...group, says: `${group.says}; replaces all groups of the team` },
        { name: 'no-groups', says: 'no groups any more' },
      ],
      example: 'taco team set ops --group okta/platform --group okta/sre',
      run: team.set,
    }),
    command({
      name: 'rm',
      alias: 'delete',
      says: 'delete a team, with the roles that it has',
      args: [teamArg],
      options: [yesOption],
      example: 'taco team rm ops',
      run: team.remove,
    }),
    command({
      name: 'add',
      says: 'add a person to a team',
      args: [teamArg, personArg],
      example: 'taco team add ops alice',
      run: team.add,
    }),
    command({
      name: 'remove',
      says: 'remove a person from a team',
      args: [teamArg, personArg],
      example: 'taco team remove ops alice',
      run: team.removeMember,
    }),
  ],
}

export const roleCommands: CommandSpec = {
  name: 'role',
  says: 'roles of the organization: built-in ones and your own',
  children: [
    command({ name: 'ls', alias: 'list', says: 'list the roles', example: 'taco role ls', run: role.list }),
    command({
      name: 'show',
      says: 'show the rules of a role in words',
      args: [roleArg],
      example: 'taco role show operator',
      run: role.show,
    }),
    command({
      name: 'put',
      says: 'create a role, or replace its rules',
      args: [{ name: 'name', says: 'of the role' }],
      options: [
        {
          name: 'file',
          short: 'f',
          value: 'file',
          says: 'description and rules, in YAML or JSON; "-" for stdin (required): see docs/access.md',
        },
      ],
      example: 'taco role put freeze -f freeze.yaml',
      run: role.put,
    }),
    command({
      name: 'rm',
      alias: 'delete',
      says: 'delete a role that is not in use',
      args: [roleArg],
      example: 'taco role rm freeze',
      run: role.remove,
    }),
  ],
}

const reason = (says: string): OptionSpec => ({ name: 'reason', value: 'text', says })

export const guardCommands: CommandSpec = {
  name: 'guard',
  says: 'guarded units, whose states only runs can change',
  children: [
    command({
      name: 'ls',
      alias: 'list',
      says: 'list guards, and who may write guarded states for now',
      example: 'taco guard ls',
      run: guard.list,
    }),
    command({
      name: 'set',
      says: 'guard units, so that only runs can change their states',
      args: [{ name: 'patterns', says: 'names or patterns, such as prod/**', optional: true, many: true }],
      options: [{ name: 'all', says: 'the whole organization' }, reason('why, for everyone to see')],
      example: 'taco guard set "prod/**" --reason "changes go through pull requests"',
      run: guard.set,
    }),
    command({
      name: 'end',
      says: 'end a guard',
      args: [{ name: 'id', says: 'as `taco guard ls` shows it' }],
      example: 'taco guard end guard-Gx4vUkP2sWq7ZrTn',
      run: guard.end,
    }),
    command({
      name: 'break',
      says: 'let yourself write the state of a guarded unit for a while; this is recorded',
      args: [unitArg],
      options: [
        reason('why (required)'),
        { name: 'for', value: 'time', says: 'how long: 1m to 8h (default: 1h)' },
      ],
      example: 'taco guard break prod/network --reason "the runner is down" --for 30m',
      run: guard.breakGlass,
    }),
  ],
}
