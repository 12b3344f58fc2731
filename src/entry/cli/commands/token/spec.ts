import { command } from '../../spec/spec.ts'
import type { CommandSpec, OptionSpec } from '../../spec/spec.ts'
import * as token from './token.ts'

const ofTeam: OptionSpec = { name: 'team', value: 'team', says: 'of this team of the organization' }
const ofOrg: OptionSpec = { name: 'org-token', says: 'of the organization' }
const ofAgent: OptionSpec = { name: 'agent', says: 'of agents of the organization' }
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
        {
          name: 'action',
          value: 'pattern',
          many: true,
          says: 'only these actions, such as state:read or state:* (repeatable)',
        },
        {
          name: 'unit',
          value: 'pattern',
          many: true,
          says: 'only these units, such as prod/** (repeatable)',
        },
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
