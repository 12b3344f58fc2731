import * as dep from './dep.ts'
import { graph } from './graph.ts'
import { status } from './status.ts'
import { command, unitArg } from '../../spec/spec.ts'
import type { ArgSpec, CommandSpec, OptionSpec } from '../../spec/spec.ts'

const someUnit: ArgSpec = { name: 'unit', optional: true, says: 'only this unit (name or id)' }
const around: readonly OptionSpec[] = [
  { name: 'subtree', says: 'include everything that uses the unit, directly or indirectly' },
  { name: 'upstream', says: 'include everything that the unit uses, directly or indirectly' },
  { name: 'at', value: 'time', says: 'at this time in the past: 2026-03-01 or 2026-03-01T12:00:00Z' },
]
const on: OptionSpec = {
  name: 'on',
  value: 'unit[:outputs]',
  many: true,
  says: 'the unit it uses, and which outputs (default: all; "network:" sets only the order; repeatable)',
}

export const graphCommands: readonly CommandSpec[] = [
  command({
    name: 'status',
    says: 'show which units are out of date, and why',
    args: [someUnit],
    options: [
      ...around,
      { name: 'all', short: 'a', says: 'also list units that are up to date' },
      { name: 'exit-code', says: 'exit with 7 if a unit is stale or its state is missing' },
    ],
    example: 'taco status prod/network --subtree',
    run: status,
  }),
  command({
    name: 'graph',
    says: 'show the dependency graph as a tree or a picture',
    args: [someUnit],
    options: [
      ...around,
      {
        name: 'format',
        short: 'f',
        value: 'format',
        choices: ['tree', 'dot', 'mermaid', 'svg', 'json'],
        fallback: 'tree',
        says: 'output format',
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
        says: 'declare that a unit uses another; cycles are refused',
        args: [unitArg],
        options: [
          on,
          {
            name: 'input',
            value: 'variable=output',
            many: true,
            says: 'set this variable from this output in `taco inputs` (repeatable)',
          },
        ],
        example: 'taco dep add prod/app --on prod/network:vpc_id,subnet_ids',
        run: dep.add,
      }),
      command({
        name: 'rm',
        alias: 'delete',
        says: 'remove a declared dependency',
        args: [unitArg],
        options: [on],
        example: 'taco dep rm prod/app --on prod/network:subnet_ids',
        run: dep.remove,
      }),
      command({
        name: 'ls',
        alias: 'list',
        says: 'list what a unit uses and what uses it; without a unit, all edges',
        args: [someUnit],
        example: 'taco dep ls prod/app',
        run: dep.list,
      }),
    ],
  },
]
