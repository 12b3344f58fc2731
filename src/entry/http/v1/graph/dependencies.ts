import { z } from 'zod'
import { DependenciesView, DependencyChange, visibleDependencies } from '../../../../graph/index.ts'
import { defined } from '../../kit/drop-undefined.ts'
import { isSeen, withoutHiddenCycle } from '../../kit/hidden-units.ts'
import { Idempotent, OrgQuery, UnitParams, jsonAnswer, jsonBody } from '../../openapi/api.ts'
import { ofUnit, route } from '../define.ts'
import { noSuchUnit } from '../../../../state/index.ts'
import { inPlainWords } from './graph.ts'

const tags = ['graph']
const params = UnitParams
const path = '/v1/units/{unit}/dependencies'
const Listed = DependenciesView.meta({ id: 'Dependencies' })
const Changed = DependencyChange.meta({ id: 'DependencyChange' })
const Output = z.string().min(1).max(500)

export const dependencyRoutes = [
  route({
    method: 'GET',
    path,
    id: 'listDependencies',
    action: 'graph:read',
    tags,
    summary: 'List what a unit uses and what uses it',
    params,
    query: OrgQuery,
    target: ofUnit,
    answers: { 200: jsonAnswer(Listed, 'Dependencies that were declared, found in code, or read') },
    async handle({ target, caller }, { graph, control }) {
      const view = await graph.dependencies.list(target, caller)
      return { status: 200, json: shown(view, await control.units.visible(target.org, caller)) }
    },
  }),
  route({
    method: 'POST',
    path,
    id: 'addDependency',
    action: 'graph:write',
    tags,
    summary: 'Declare that a unit uses another; cycles are refused',
    params,
    query: OrgQuery,
    target: ofUnit,
    body: jsonBody(
      z.strictObject({
        on: z.string().min(1).meta({ description: 'Name or id of the unit used.' }),
        outputs: z
          .array(Output)
          .max(1000)
          .optional()
          .meta({ description: 'The outputs used. Absent: all. Empty: none, only the order counts.' }),
        inputs: z
          .record(z.string().min(1), Output)
          .optional()
          .meta({ description: 'Variable of this unit → output of that one.' }),
      }),
    ),
    answers: { 200: jsonAnswer(Changed, 'Declared') },
    also: ({ body, target }) => [{ action: 'unit:read', resource: { org: target.org, unit: body.on } }],
    async handle({ target, body, caller }, { graph, control }) {
      const visible = await control.units.visible(target.org, caller)
      const add = () => graph.dependencies.add(target, defined(body), caller)
      const json =
        visible === undefined
          ? await add()
          : await inPlainWords({ ...target, unit: body.on }, () => withoutHiddenCycle(visible, add))
      return { status: 200, json: shown(json, visible) }
    },
  }),
  route({
    method: 'DELETE',
    path,
    id: 'removeDependency',
    action: 'graph:write',
    tags,
    summary: 'Remove a declared dependency',
    headers: Idempotent,
    params,
    query: OrgQuery.extend({
      on: z.string().min(1).meta({ description: 'Name or id of the unit used.' }),
      outputs: z.string().optional().meta({ description: 'Only these, separated by commas.' }),
    }),
    target: ofUnit,
    answers: { 200: jsonAnswer(Changed, 'The remaining dependency') },
    async handle({ target, query: { on, outputs }, caller }, { graph, control }) {
      const names = outputs?.split(',').filter((name) => name !== '')
      const input = { on, ...(names === undefined ? {} : { outputs: names }) }
      const visible = await control.units.visible(target.org, caller)
      if (visible !== undefined && !isSeen(visible, on)) throw noSuchUnit({ ...target, unit: on })
      const remove = () => graph.dependencies.remove(target, input, caller)
      const json =
        visible === undefined ? await remove() : await inPlainWords({ ...target, unit: on }, remove)
      return { status: 200, json: shown(json, visible) }
    },
  }),
]

function shown<T extends z.output<typeof Listed>>(
  view: T,
  visible: { has(id: string): boolean } | undefined,
): T {
  return visible === undefined ? view : visibleDependencies(view, visible)
}
