import { inputs } from './inputs.ts'
import * as outputs from './outputs.ts'
import { scan } from './scan.ts'
import { sync } from './sync.ts'
import { command, unitArg, yesOption } from '../../spec/spec.ts'
import type { CommandSpec, OptionSpec } from '../../spec/spec.ts'

const only: OptionSpec = { name: 'only', value: 'names', says: 'only these outputs, separated by commas' }
const sensitive: OptionSpec = { name: 'sensitive', says: 'with sensitive values' }
const file: OptionSpec = {
  name: 'file',
  value: 'path',
  says: 'the taco.yaml; default: the nearest one from here up',
}

const outputsCommands: CommandSpec = {
  name: 'outputs',
  says: 'outputs of units, and when they changed',
  children: [
    command({
      name: 'show',
      says: 'show the outputs of a unit',
      args: [unitArg, { name: 'commit', optional: true, says: 'as of this commit; default: the newest' }],
      options: [
        only,
        sensitive,
        { name: 'for', value: 'unit', says: 'on behalf of this unit: recorded as its read' },
      ],
      example: 'taco outputs show prod/network --only vpc_id',
      run: outputs.show,
    }),
    command({
      name: 'log',
      says: 'the commits of outputs, newest first: versions in which an output changed',
      args: [unitArg],
      options: [
        {
          name: 'limit',
          short: 'n',
          value: 'count',
          isNumber: true,
          says: 'only this many (default: 20 on a terminal, all otherwise)',
        },
      ],
      example: 'taco outputs log prod/network',
      run: outputs.log,
    }),
    command({
      name: 'diff',
      says: 'which outputs changed between two commits (default: the newest and the one before)',
      args: [
        unitArg,
        { name: 'from', optional: true, says: 'number of a commit' },
        { name: 'to', optional: true, says: 'number of a commit; default: the newest' },
      ],
      options: [only, { name: 'exit-code', says: 'exit with 7 if any changed' }],
      example: 'taco outputs diff prod/network 3 5 --only vpc_id,subnet_ids',
      run: outputs.diff,
    }),
  ],
}

export const projectCommands: readonly CommandSpec[] = [
  outputsCommands,
  command({
    name: 'inputs',
    says: 'the values that the dependencies of a unit give to its variables; taking them (--write, --export, --json) is recorded as a read',
    args: [unitArg],
    options: [
      {
        name: 'write',
        short: 'w',
        value: 'file',
        valueOptional: true,
        says: "write them to a file (taco.auto.tfvars.json in the unit's folder)",
      },
      { name: 'export', says: 'as shell commands that set TF_VAR_…' },
      sensitive,
      file,
    ],
    example: 'taco inputs prod/app --write',
    run: inputs,
  }),
  command({
    name: 'scan',
    says: 'find root modules in code, and what they use of each other',
    args: [{ name: 'folder', optional: true, says: 'default: this one' }],
    options: [
      { name: 'write', short: 'w', value: 'file', valueOptional: true, says: 'write it down (taco.yaml)' },
      { name: 'force', says: 'write over the file' },
    ],
    example: 'taco scan . --write',
    run: scan,
  }),
  command({
    name: 'sync',
    says: 'make units, labels and dependencies as taco.yaml says; shows the difference first',
    options: [file, { name: 'dry-run', says: 'only show it' }, yesOption],
    example: 'taco sync --dry-run',
    makesBucket: true,
    run: sync,
  }),
]
