import { planAffected } from './rollout-affected.ts'
import * as rollout from './rollout.ts'
import { command } from '../../spec/spec.ts'
import type { ArgSpec, CommandSpec, OptionSpec } from '../../spec/spec.ts'

const idArg: ArgSpec = { name: 'rollout', says: 'rollout id: ro-…' }
const from: OptionSpec = {
  name: 'from',
  value: 'unit',
  many: true,
  says: 'unit to start from (required, repeatable)',
}
const jobs: OptionSpec = {
  name: 'jobs',
  short: 'j',
  value: 'count',
  isNumber: true,
  says: 'number of units at a time; default: 4',
}
const file: OptionSpec = {
  name: 'file',
  value: 'path',
  says: 'the taco.yaml; default: the nearest one in this folder or above',
}
const skip: OptionSpec = {
  name: 'skip',
  isOn: true,
  says: 'apply every unit, even if nothing changed since its last apply',
}

const workOptions: readonly OptionSpec[] = [
  jobs,
  { name: 'plan', says: 'save a plan of each unit, then apply the plan' },
  skip,
  file,
  {
    name: 'lease',
    value: 'time',
    env: 'TACO_LEASE',
    fallback: '30s',
    says: 'how long a step stays claimed without a sign of life',
  },
  {
    name: 'lock-timeout',
    value: 'time',
    says: 'how long a step waits for a locked unit; default: twice the lease',
  },
]

export const rolloutCommands: readonly CommandSpec[] = [
  {
    name: 'rollout',
    says: 'apply a change through the graph, skipping units it does not affect',
    children: [
      command({
        name: 'plan',
        says: 'show the steps of a rollout without creating it',
        options: [from],
        example: 'taco rollout plan --from prod/network',
        run: rollout.plan,
      }),
      command({
        name: 'start',
        says: 'create a rollout; `taco rollout work` runs it',
        options: [from, { name: 'work', says: 'also run it here' }, ...workOptions],
        example: 'taco rollout start --from prod/network --work -j 8',
        run: rollout.start,
        ownsSignals: true,
      }),
      command({
        name: 'work',
        says: 'run steps in the folders named by taco.yaml; several workers can run at once',
        args: [idArg],
        options: workOptions,
        example: 'taco rollout work ro-01J9Z3K7M8Q2W5N4T6R1X0C3VB -j 8',
        run: rollout.work,
        ownsSignals: true,
      }),
      command({
        name: 'status',
        alias: 'show',
        says: 'show the progress of a rollout',
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
            name: 'state',
            value: 'state',
            choices: rollout.ROLLOUT_STATES,
            says: 'only those in this state; "failed": under way, with a step that failed',
          },
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
        says: 'start no new steps',
        args: [idArg],
        example: 'taco rollout pause ro-01J9Z3K7M8Q2W5N4T6R1X0C3VB',
        run: rollout.pause,
      }),
      command({
        name: 'resume',
        says: 'continue; failed steps are retried',
        args: [idArg],
        example: 'taco rollout resume ro-01J9Z3K7M8Q2W5N4T6R1X0C3VB',
        run: rollout.resume,
      }),
      command({
        name: 'skip',
        says: 'skip a step; dependents use the current outputs',
        args: [idArg, { name: 'unit', says: 'the unit of the step' }],
        options: [{ name: 'reason', value: 'text', says: 'reason (required)' }],
        example: 'taco rollout skip ro-01J9Z3K7M8Q2W5N4T6R1X0C3VB prod/dns --reason "applied by hand"',
        run: rollout.skip,
      }),
      command({
        name: 'cancel',
        says: 'cancel for good; running steps finish',
        args: [idArg],
        example: 'taco rollout cancel ro-01J9Z3K7M8Q2W5N4T6R1X0C3VB',
        run: rollout.cancel,
      }),
    ],
  },
  command({
    name: 'plan',
    says: 'plan one unit, or with --affected every unit that changed since its last apply',
    args: [{ name: 'unit', optional: true, says: 'unit to plan' }],
    options: [
      { name: 'affected', says: 'plan every unit that is not proven to be up to date' },
      jobs,
      { ...skip, says: 'plan every unit, even if nothing changed since its last apply' },
      file,
    ],
    example: 'taco plan --affected',
    run: planAffected,
  }),
]
