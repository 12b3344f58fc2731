import { command } from '../../spec/spec.ts'
import type { CommandSpec } from '../../spec/spec.ts'
import * as access from './access.ts'

export const accessCommands: CommandSpec = {
  name: 'access',
  says: 'who may do what, and why',
  children: [
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
      args: [{ name: 'file', says: 'in YAML or JSON: see docs/access.md' }],
      example: 'taco access test access.yaml',
      run: access.test,
    }),
  ],
}
