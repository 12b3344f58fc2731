import { inputs } from './inputs.ts'
import * as outputs from './outputs.ts'
import { scan } from './scan.ts'
import { sync } from './sync.ts'
import { command, unitArg, yesOption } from '../../spec/spec.ts'
import type { CommandSpec, OptionSpec } from '../../spec/spec.ts'

const only: OptionSpec = { name: 'only', value: 'names', says: 'only these outputs, separated by commas' }
const sensitive: OptionSpec = { name: 'sensitive', says: 'include sensitive values' }
const file: OptionSpec = {
  name: 'file',
  value: 'path',
  says: 'the taco.yaml; default: the nearest one in this folder or above',
}

const outputsCommands: CommandSpec = {
  name: 'outputs',
  says: 'outputs of units, and when they changed',
  children: [
    command({
      name: 'show',
      says: 'show the outputs of a unit',
      args: [unitArg, { name: 'commit', optional: true, says: 'commit number; default: the newest' }],
      options: [
        only,
        sensitive,
        { name: 'for', value: 'unit', says: 'read on behalf of this unit, and record the read' },
      ],
      example: 'taco outputs show prod/network --only vpc_id',
      run: outputs.show,
    }),
    command({
      name: 'log',
      says: 'list outputs commits (versions that changed an output), newest first',
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
      says: 'show which outputs changed between two commits (default: the newest two)',
      args: [
        unitArg,
        { name: 'from', optional: true, says: 'commit number' },
        { name: 'to', optional: true, says: 'commit number; default: the newest' },
      ],
      options: [only, { name: 'exit-code', says: 'exit with 7 if an output changed' }],
      example: 'taco outputs diff prod/network 3 5 --only vpc_id,subnet_ids',
      run: outputs.diff,
    }),
  ],
}

export const projectCommands: readonly CommandSpec[] = [
  outputsCommands,
  command({
    name: 'inputs',
    says: "show the values of a unit's variables: from its dependencies, and those of `taco var`; --write, --export and --json record the read",
    args: [unitArg],
    options: [
      {
        name: 'write',
        short: 'w',
        value: 'file',
        valueOptional: true,
        says: "write them to a file (taco.auto.tfvars.json in the unit's folder)",
      },
      { name: 'export', says: 'print shell commands that set TF_VAR_…' },
      sensitive,
      file,
    ],
    example: 'taco inputs prod/app --write',
    run: inputs,
  }),
  command({
    name: 'scan',
    says: 'find root modules in code and the dependencies between them',
    args: [{ name: 'folder', optional: true, says: 'folder to scan; default: the current one' }],
    options: [
      {
        name: 'write',
        short: 'w',
        value: 'file',
        valueOptional: true,
        says: 'write the result to a file (taco.yaml)',
      },
      { name: 'force', says: 'overwrite the file' },
    ],
    example: 'taco scan . --write',
    run: scan,
  }),
  command({
    name: 'sync',
    says: 'apply the units, labels and dependencies in taco.yaml; shows the changes first',
    options: [file, { name: 'dry-run', says: 'only show the changes' }, yesOption],
    example: 'taco sync --dry-run',
    makesBucket: true,
    run: sync,
  }),
]
