import * as dep from './dep.ts'
import { graph } from './graph.ts'
import { status } from './status.ts'
import { command, unitArg } from '../../spec/spec.ts'
import type { ArgSpec, CommandSpec, OptionSpec } from '../../spec/spec.ts'

const someUnit: ArgSpec = { name: 'unit', optional: true, says: 'only this one (name or id)' }
const around: readonly OptionSpec[] = [
  { name: 'subtree', says: 'with everything that uses the unit, at any distance' },
  { name: 'upstream', says: 'with everything that the unit uses, at any distance' },
  { name: 'at', value: 'time', says: 'as it was then: 2026-03-01 or 2026-03-01T12:00:00Z' },
]
const on: OptionSpec = {
  name: 'on',
  value: 'unit[:outputs]',
  many: true,
  says: 'the unit it uses, and which outputs (all without; "network:" for the order only; repeatable)',
}

export const graphCommands: readonly CommandSpec[] = [
  command({
    name: 'status',
    says: 'which units are out of date, and why',
    args: [someUnit],
    options: [
      ...around,
      { name: 'all', short: 'a', says: 'list the units that are up to date, too' },
      { name: 'exit-code', says: 'exit with 7 if any of them is stale, or its state is missing' },
    ],
    example: 'taco status prod/network --subtree',
    run: status,
  }),
  command({
    name: 'graph',
    says: 'the units and what they use of each other, as a tree or a picture',
    args: [someUnit],
    options: [
      ...around,
      {
        name: 'format',
        short: 'f',
        value: 'format',
        choices: ['tree', 'dot', 'mermaid', 'svg', 'json'],
        fallback: 'tree',
        says: 'how it is drawn',
      },
    ],
    example: 'taco graph --format svg > graph.svg',
    run: graph,
  }),
  {
    name: 'dep',
    says: 'dependencies: which outputs of which units a unit uses',
    children: [
      command({
        name: 'add',
        says: 'declare that a unit uses another; a cycle is refused',
        args: [unitArg],
        options: [
          on,
          {
            name: 'input',
            value: 'variable=output',
            many: true,
            says: 'which variable takes which output, for `taco inputs` (repeatable)',
          },
        ],
        example: 'taco dep add prod/app --on prod/network:vpc_id,subnet_ids',
        run: dep.add,
      }),
      command({
        name: 'rm',
        alias: 'delete',
        says: 'take back what was declared',
        args: [unitArg],
        options: [on],
        example: 'taco dep rm prod/app --on prod/network:subnet_ids',
        run: dep.remove,
      }),
      command({
        name: 'ls',
        alias: 'list',
        says: 'what a unit uses and what uses it; all edges without a unit',
        args: [someUnit],
        example: 'taco dep ls prod/app',
        run: dep.list,
      }),
    ],
  },
]
