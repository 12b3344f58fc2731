import { command, yesOption } from '../../spec/spec.ts'
import type { CommandSpec, OptionSpec } from '../../spec/spec.ts'
import * as project from './project.ts'

const projectArg = { name: 'project', says: 'name or id of the project' }
const description: OptionSpec = { name: 'description', value: 'text', says: 'description' }
const label: OptionSpec = {
  name: 'label',
  short: 'l',
  value: 'key=value',
  many: true,
  says: 'label (repeatable)',
}

export const projectsCommands: CommandSpec = {
  name: 'project',
  says: 'projects: groups of units for roles, variable sets and notifications',
  children: [
    command({
      name: 'ls',
      alias: 'list',
      says: 'list projects with the number of their units',
      example: 'taco project ls',
      run: project.list,
    }),
    command({
      name: 'show',
      says: 'show a project',
      args: [projectArg],
      example: 'taco project show payments',
      run: project.show,
    }),
    command({
      name: 'create',
      says: 'create a project',
      args: [{ name: 'name', says: '1 to 40 letters, digits, spaces, "-" and "_"' }],
      options: [description, label],
      example: 'taco project create payments --description "everything that moves money"',
      run: project.create,
    }),
    command({
      name: 'set',
      says: 'change the name, description or labels of a project',
      args: [projectArg],
      options: [
        { name: 'name', value: 'name', says: 'new name' },
        description,
        { ...label, says: 'set a label; "key=" removes it (repeatable)' },
      ],
      example: 'taco project set payments --label team=billing',
      run: project.change,
    }),
    command({
      name: 'rm',
      alias: 'delete',
      says: 'delete a project that has no units',
      args: [projectArg],
      options: [yesOption],
      example: 'taco project rm payments --yes',
      run: project.remove,
    }),
  ],
}
