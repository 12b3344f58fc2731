import { planAffected } from './rollout-affected.ts'
import * as rollout from './rollout.ts'
import { command } from '../../spec/spec.ts'
import type { ArgSpec, CommandSpec, OptionSpec } from '../../spec/spec.ts'

const idArg: ArgSpec = { name: 'rollout', says: 'its id: ro-…' }
const from: OptionSpec = {
  name: 'from',
  value: 'unit',
  many: true,
  says: 'unit whose change is rolled out; must be given (repeatable)',
}
const jobs: OptionSpec = {
  name: 'jobs',
  short: 'j',
  value: 'count',
  isNumber: true,
  says: 'units at once; default: 4',
}
const file: OptionSpec = {
  name: 'file',
  value: 'path',
  says: 'the taco.yaml; default: the nearest one from here up',
}
const skip: OptionSpec = {
  name: 'skip',
  isOn: true,
  says: 'apply also what has the fingerprint of its last apply',
}

const workOptions: readonly OptionSpec[] = [
  jobs,
  { name: 'plan', says: 'make a saved plan of each unit, then apply that' },
  skip,
  file,
  {
    name: 'lease',
    value: 'time',
    env: 'TACO_LEASE',
    fallback: '30s',
    says: 'others take over what this worker has not renewed for so long',
  },
  {
    name: 'lock-timeout',
    value: 'time',
    says: 'how long a step waits for a unit that somebody else has locked; default: twice the lease',
  },
]

export const rolloutCommands: readonly CommandSpec[] = [
  {
    name: 'rollout',
    says: 'apply a change through the graph, skipping what it does not touch',
    children: [
      command({
        name: 'plan',
        says: 'show the units that a rollout would walk through',
        options: [from],
        example: 'taco rollout plan --from prod/network',
        run: rollout.plan,
      }),
      command({
        name: 'start',
        says: 'store the walk; `work` carries it out',
        options: [from, { name: 'work', says: 'carry it out here, at once' }, ...workOptions],
        example: 'taco rollout start --from prod/network --work -j 8',
        run: rollout.start,
        ownsSignals: true,
      }),
      command({
        name: 'work',
        says: 'carry out steps here, in the folders that taco.yaml names; others may do so at the same time',
        args: [idArg],
        options: workOptions,
        example: 'taco rollout work ro-01J9Z3K7M8Q2W5N4T6R1X0C3VB -j 8',
        run: rollout.work,
        ownsSignals: true,
      }),
      command({
        name: 'status',
        alias: 'show',
        says: 'show how far it is',
        args: [idArg],
        example: 'taco rollout status ro-01J9Z3K7M8Q2W5N4T6R1X0C3VB',
        run: rollout.status,
      }),
      command({
        name: 'ls',
        alias: 'list',
        says: 'list rollouts, newest first',
        options: [
          {
            name: 'limit',
            short: 'n',
            value: 'count',
            isNumber: true,
            says: 'only this many (default: 20 on a terminal, all otherwise)',
          },
        ],
        example: 'taco rollout ls -n 50',
        run: rollout.list,
      }),
      command({
        name: 'pause',
        says: 'begin no more steps',
        args: [idArg],
        example: 'taco rollout pause ro-01J9Z3K7M8Q2W5N4T6R1X0C3VB',
        run: rollout.pause,
      }),
      command({
        name: 'resume',
        says: 'go on; failed steps get another try',
        args: [idArg],
        example: 'taco rollout resume ro-01J9Z3K7M8Q2W5N4T6R1X0C3VB',
        run: rollout.resume,
      }),
      command({
        name: 'skip',
        says: 'leave a step out; its dependents go on with what stands',
        args: [idArg, { name: 'unit', says: 'the unit of the step' }],
        options: [{ name: 'reason', value: 'text', says: 'why; must be given' }],
        example: 'taco rollout skip ro-01J9Z3K7M8Q2W5N4T6R1X0C3VB prod/dns --reason "applied by hand"',
        run: rollout.skip,
      }),
      command({
        name: 'cancel',
        says: 'begin no more steps, ever; what runs ends by itself',
        args: [idArg],
        example: 'taco rollout cancel ro-01J9Z3K7M8Q2W5N4T6R1X0C3VB',
        run: rollout.cancel,
      }),
    ],
  },
  command({
    name: 'plan',
    says: 'plan one unit of this repository, or with --affected all whose fingerprint is not that of their last apply',
    args: [{ name: 'unit', optional: true, says: 'only this one' }],
    options: [
      { name: 'affected', says: 'every unit but those that are proven to be up to date' },
      jobs,
      { ...skip, says: 'plan also what has the fingerprint of its last apply' },
      file,
    ],
    example: 'taco plan --affected',
    run: planAffected,
  }),
]
