import { command, yesOption } from '../../spec/spec.ts'
import type { CommandSpec, OptionSpec } from '../../spec/spec.ts'
import * as variables from './var.ts'
import * as varset from './varset.ts'

const ofUnit: OptionSpec = { name: 'unit', value: 'unit', says: 'of this unit: name or id' }
const ofSet: OptionSpec = { name: 'set', value: 'name', says: 'of this variable set: name or id' }
const env: OptionSpec = { name: 'env', says: "variable of the engine's environment, not of the code" }
const setArg = { name: 'set', says: 'name or id of the variable set' }
const description: OptionSpec = { name: 'description', value: 'text', says: 'what it is for' }
const units = (says: string): OptionSpec => ({ name: 'unit', value: 'unit', many: true, says })
const projects = (says: string): OptionSpec => ({ name: 'project', value: 'project', many: true, says })

export const varCommands: CommandSpec = {
  name: 'var',
  says: 'variables of units and variable sets, which `taco exec`, `taco plan` and rollouts give to engines',
  children: [
    command({
      name: 'ls',
      alias: 'list',
      says: 'list the variables that apply to a unit, and what they override, or those of a variable set',
      options: [ofUnit, ofSet, { name: 'own', says: 'only those of the unit itself, without variable sets' }],
      example: 'taco var ls --unit prod/app',
      run: variables.list,
    }),
    command({
      name: 'set',
      says: 'create or change a variable; without a value, read it from the standard input',
      args: [
        { name: 'key', says: 'name of the variable' },
        { name: 'value', optional: true, says: 'the value, if it is no secret' },
      ],
      options: [
        ofUnit,
        ofSet,
        env,
        { name: 'sensitive', says: 'encrypt the value, and never show it again' },
        {
          name: 'hcl',
          negatable: true,
          says: 'the value is an expression, such as a list or a map; --no-hcl: a text again',
        },
        description,
        { name: 'from-file', value: 'path', says: 'read the value from a file' },
      ],
      example: `taco var set region eu-central-1 --unit prod/app
taco var set zones ["a","b"] --hcl --unit prod/app
taco var set AWS_SECRET_ACCESS_KEY --env --sensitive --set aws --from-file key.txt`,
      run: variables.set,
    }),
    command({
      name: 'rm',
      alias: 'delete',
      says: 'remove variables',
      args: [{ name: 'key', many: true, says: 'names of the variables' }],
      options: [ofUnit, ofSet, env],
      example: 'taco var rm region --unit prod/app',
      run: variables.remove,
    }),
    command({
      name: 'import',
      says: 'set variables from files: *.tfvars, *.json, and lines KEY=VALUE for the environment',
      args: [{ name: 'file', many: true, says: 'files; of a variable that is in several, the last counts' }],
      options: [
        ofUnit,
        ofSet,
        env,
        { name: 'sensitive', says: 'encrypt all values, and never show them again' },
      ],
      example: `taco var import terraform.tfvars prod.auto.tfvars --unit prod/app
taco var import .env --sensitive --set aws`,
      run: variables.importFiles,
    }),
  ],
}

export const varsetCommands: CommandSpec = {
  name: 'varset',
  says: 'variable sets: variables for several units',
  children: [
    command({
      name: 'ls',
      alias: 'list',
      says: 'list the variable sets of the organization',
      example: 'taco varset ls',
      run: varset.list,
    }),
    command({
      name: 'create',
      says: 'create a variable set',
      args: [{ name: 'name', says: 'name of the variable set' }],
      options: [
        description,
        { name: 'global', says: 'for every unit of the organization, or of the project that owns it' },
        { name: 'priority', says: 'overrides everything else, variables of units included' },
        { name: 'project', value: 'project', says: 'the project that owns it; default: the organization' },
      ],
      example: 'taco varset create aws --global',
      run: varset.create,
    }),
    command({
      name: 'set',
      says: 'change a variable set',
      args: [setArg],
      options: [
        { name: 'name', value: 'name', says: 'new name' },
        description,
        { name: 'global', negatable: true, says: 'for every unit; --no-global ends that' },
        { name: 'priority', negatable: true, says: 'overrides everything else; --no-priority ends that' },
      ],
      example: 'taco varset set aws --no-global',
      run: varset.change,
    }),
    command({
      name: 'attach',
      says: 'give the variables of a set to units or projects',
      args: [setArg],
      options: [units('this unit (repeatable)'), projects('all units of this project (repeatable)')],
      example: 'taco varset attach aws --unit prod/app --unit prod/db',
      run: varset.attach,
    }),
    command({
      name: 'detach',
      says: 'take them away again',
      args: [setArg],
      options: [units('this unit (repeatable)'), projects('this project (repeatable)')],
      example: 'taco varset detach aws --unit prod/app',
      run: varset.detach,
    }),
    command({
      name: 'rm',
      alias: 'delete',
      says: 'delete a variable set with its variables',
      args: [setArg],
      options: [yesOption],
      example: 'taco varset rm aws',
      run: varset.remove,
    }),
  ],
}
