import { command } from '../../spec/spec.ts'
import type { CommandSpec, OptionSpec } from '../../spec/spec.ts'
import * as token from './token.ts'
import * as workload from './workload.ts'

const ofTeam: OptionSpec = { name: 'team', value: 'team', says: 'of this team of the organization' }
const ofOrg: OptionSpec = { name: 'org-token', says: 'of the organization' }
const ofAgent: OptionSpec = { name: 'agent', says: 'of agents of the organization' }
const ofAction: OptionSpec = {
  name: 'action',
  value: 'pattern',
  many: true,
  says: 'only these actions, such as state:read or state:* (repeatable)',
}
const ofUnit: OptionSpec = {
  name: 'unit',
  value: 'pattern',
  many: true,
  says: 'only these units, such as prod/** (repeatable)',
}
const rule = { name: 'rule', says: 'name of the rule' }
const id = { name: 'id', says: 'id of the token, as `taco token ls` shows it' }

export const tokenCommands: CommandSpec = {
  name: 'token',
  says: 'tokens for programs: your own, and those of teams, organizations and agents',
  children: [
    command({
      name: 'create',
      says: 'create a token and print it; it is shown only this once',
      options: [
        { name: 'name', value: 'name', says: 'what it is for (required)' },
        {
          name: 'expires',
          value: 'time',
          says: 'when it expires: 30d, 2027-01-31, or "never" for tokens of teams, organizations and agents (default: 90d)',
        },
        ofAction,
        ofUnit,
        ofTeam,
        ofOrg,
        ofAgent,
        {
          name: 'role',
          value: 'role',
          many: true,
          says: 'role of a token of the organization or of an agent (repeatable)',
        },
      ],
      example: `taco token create --name laptop --expires 30d
taco token create --name deploy --org-token --role operator --unit prod/**`,
      run: token.create,
    }),
    command({
      name: 'ls',
      alias: 'list',
      says: 'list your tokens, or those of a team, the organization or its agents',
      options: [ofTeam, ofOrg, ofAgent],
      example: 'taco token ls',
      run: token.list,
    }),
    command({
      name: 'show',
      says: 'show a token, without its secret',
      args: [id],
      example: 'taco token show at-Gx4vUkP2sWq7ZrTn',
      run: token.show,
    }),
    command({
      name: 'revoke',
      alias: 'rm',
      says: 'revoke a token; every server refuses it within seconds',
      args: [id],
      example: 'taco token revoke at-Gx4vUkP2sWq7ZrTn',
      run: token.revoke,
    }),
  ],
}

export const workloadCommands: CommandSpec = {
  name: 'workload',
  says: 'rules by which jobs of CI systems and clusters get tokens, without any stored secret',
  children: [
    command({
      name: 'ls',
      alias: 'list',
      says: 'list the rules of the organization',
      example: 'taco workload ls',
      run: workload.list,
    }),
    command({
      name: 'set',
      says: 'create or replace a rule',
      args: [rule],
      options: [
        {
          name: 'issuer',
          value: 'url',
          says: 'issuer of the identity tokens of the jobs; "github" and "gitlab" are known (required)',
        },
        {
          name: 'claim',
          value: 'name=pattern',
          many: true,
          says: 'claim that must match, such as sub=repo:acme/infra:* (required, repeatable)',
        },
        { name: 'role', value: 'role', many: true, says: 'role that the job gets (required, repeatable)' },
        ofAction,
        ofUnit,
        {
          name: 'audience',
          value: 'text',
          says: 'audience of the tokens; default: the public URL of the server',
        },
        { name: 'ttl', value: 'time', says: 'how long the tokens are valid, at most 1h; default: 15m' },
      ],
      example:
        'taco workload set deploy --issuer github --claim repository=acme/infra --claim ref=refs/heads/main --role operator --unit prod/**',
      run: workload.set,
    }),
    command({
      name: 'rm',
      alias: 'delete',
      says: 'delete a rule',
      args: [rule],
      example: 'taco workload rm deploy',
      run: workload.remove,
    }),
  ],
}
