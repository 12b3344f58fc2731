import { z } from 'zod'
import { badRequest } from '../../../base/errors.ts'
import type { Caller, StateControl, UnitRef, UnitView } from '../../../state/index.ts'
import {
  Idempotent,
  Flag,
  IfMatch,
  Limit,
  OrgQuery,
  Repeated,
  RetentionInput,
  UNCHANGED,
  UnitParams,
  jsonAnswer,
  jsonBody,
} from '../openapi/api.ts'
import { defined } from '../kit/drop-undefined.ts'
import { etagOf, expectedBy, isUnchanged } from '../kit/response/etag.ts'
import { Unit } from '../openapi/openapi-schemas.ts'
import { type V1Services, forceDemand, ofOrg, ofUnit, route } from './define.ts'
import { checkRuleLabels } from '../kit/rule-labels.ts'
import { usersOf } from '../kit/unit-users.ts'
import { visibleUnit } from '../kit/visible-units.ts'

const tags = ['units']
const params = UnitParams
const query = OrgQuery

const change = {
  description: z.string().max(2000).optional(),
  allowDecrypt: z.boolean().optional(),
}

export const unitRoutes = [
  route({
    method: 'GET',
    path: '/v1/units',
    id: 'listUnits',
    action: 'unit:read',
    isFiltered: true,
    tags,
    summary: 'List units by name',
    query: OrgQuery.extend({
      limit: Limit,
      cursor: z.string().optional(),
      prefix: z.string().optional().meta({ description: 'Names that start with this.' }),
      search: z.string().optional().meta({ description: 'Names that contain this.' }),
      label: Repeated.meta({ description: 'name=value; may be repeated, all must match.' }),
      deleted: z.enum(['no', 'only']).optional(),
    }),
    answers: {
      200: jsonAnswer(
        z.object({
          items: z.array(Unit),
          next: z.string().nullable(),
          asOf: z.iso.datetime(),
          damaged: z
            .int()
            .meta({ description: 'Units that are left out because their documents cannot be read.' }),
        }),
        'A page',
      ),
    },
    target: ofOrg,
    async handle({ query: { label, ...rest }, caller }, { control }) {
      const labels = label === undefined ? {} : { labels: labelsOf(label) }
      const { items, next, asOf, damaged } = await control.units.list({ ...defined(rest), ...labels }, caller)
      const visible = await control.units.visible(rest.org, caller)
      const shown = items.map((view) => visibleUnit(view, visible))
      return {
        status: 200,
        json: { items: shown, next: next ?? null, asOf: new Date(asOf).toISOString(), damaged },
      }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/units',
    id: 'createUnit',
    action: 'unit:create',
    isFiltered: true,
    tags,
    summary: 'Create a unit',
    headers: Idempotent,
    query,
    body: jsonBody(
      z.strictObject({
        name: z.string(),
        key: z
          .string()
          .optional()
          .meta({ description: 'Key of its state in the bucket; <name>/terraform.tfstate by default.' }),
        labels: z.record(z.string(), z.string()).optional(),
        retention: RetentionInput.optional(),
        ...change,
      }),
    ),
    answers: { 201: jsonAnswer(Unit, 'Created') },
    target: ofOrg,
    also: ({ body, target }) => {
      const resource = { ...target, unit: body.name }
      // An object that is registered by its key, and settings that protect a unit, are for administrators.
      const isAdmin = body.key !== undefined || protects(body)
      return [
        { action: 'unit:create', resource },
        ...(isAdmin ? [{ action: 'unit:admin', resource } as const] : []),
      ]
    },
    async handle({ target, body, caller }, services) {
      const { control } = services
      await checkRuleLabels(services, [{ org: target.org, unit: body.name, labels: body.labels }], caller)
      const view = await control.units.create({ ...defined(body), org: target.org }, caller)
      return { status: 201, json: await shown(view, control, caller), headers: { etag: etagOf(view.etag) } }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/units/{unit}',
    id: 'getUnit',
    action: 'unit:read',
    tags,
    summary: 'Show a unit',
    params,
    query,
    answers: {
      200: jsonAnswer(Unit, 'The unit'),
      304: UNCHANGED,
    },
    target: ofUnit,
    async handle({ target, headers, caller }, { control }) {
      const view = await control.units.get(target, caller)
      const etag = etagOf(view.etag)
      if (isUnchanged(headers, view.etag, `The unit ${view.name}`)) return { status: 304, headers: { etag } }
      return { status: 200, json: await shown(view, control, caller), headers: { etag } }
    },
  }),
  route({
    method: 'PATCH',
    path: '/v1/units/{unit}',
    id: 'updateUnit',
    action: 'unit:update',
    tags,
    summary: 'Change the description, labels and settings of a unit',
    params,
    query,
    headers: IfMatch.extend(Idempotent.shape),
    body: jsonBody(
      z.strictObject({
        labels: z
          .record(z.string(), z.string().nullable())
          .optional()
          .meta({ description: 'Merged; null removes a label.' }),
        retention: RetentionInput.nullable().optional(),
        ...change,
      }),
    ),
    answers: { 200: jsonAnswer(Unit, 'Changed') },
    target: ofUnit,
    also: ({ body, target }) => (protects(body) ? [{ action: 'unit:admin', resource: target }] : []),
    async handle({ target, body, headers, caller }, services) {
      const { control } = services
      await checkRuleLabels(services, [{ ...target, labels: body.labels }], caller)
      const view = await control.units.update(target, defined(body), caller, expectedBy(headers))
      return { status: 200, json: await shown(view, control, caller), headers: { etag: etagOf(view.etag) } }
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/units/{unit}',
    id: 'deleteUnit',
    action: 'unit:delete',
    tags,
    summary: 'Delete a unit; it can be restored',
    params,
    headers: IfMatch.extend(Idempotent.shape),
    query: OrgQuery.extend({ force: Flag }),
    answers: {
      200: jsonAnswer(
        Unit.extend({
          warnings: z.array(z.string()).meta({ description: 'Units that use it, or why they are unknown.' }),
        }),
        'Deleted; refused while resources remain unless forced',
      ),
    },
    target: ofUnit,
    also: forceDemand,
    async handle({ target, query: { force }, headers, caller }, { control, graph }) {
      const used = await sayUsers({ graph, control }, target, caller)
      const view = await control.units.remove(target, { force }, caller, expectedBy(headers))
      const warnings = used === undefined ? [] : [`${view.name} ${used}`]
      const json = { ...(await shown(view, control, caller)), warnings }
      return { status: 200, json, headers: { etag: etagOf(view.etag) } }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/units/{unit}/rename',
    id: 'renameUnit',
    action: 'unit:rename',
    tags,
    summary: 'Rename a unit; its state does not move',
    params,
    query,
    headers: IfMatch.extend(Idempotent.shape),
    body: jsonBody(z.strictObject({ name: z.string() })),
    answers: { 200: jsonAnswer(Unit, 'Renamed') },
    target: ofUnit,
    also: ({ body, target }) => [
      { action: 'unit:rename', resource: { ...target, unit: body.name }, isNewName: true },
    ],
    async handle({ target, body, headers, caller }, { control }) {
      const view = await control.units.rename(target, body.name, caller, expectedBy(headers))
      return { status: 200, json: await shown(view, control, caller), headers: { etag: etagOf(view.etag) } }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/units/{unit}/restore',
    id: 'restoreUnit',
    action: 'unit:restore',
    tags,
    summary: 'Restore a deleted unit',
    headers: Idempotent,
    params,
    query,
    body: jsonBody(z.strictObject({ name: z.string().optional() })),
    answers: { 200: jsonAnswer(Unit, 'Restored') },
    target: ofUnit,
    // Under another name, it is renamed, too.
    also: ({ body: { name }, target }) =>
      name === undefined || name === target.unit
        ? []
        : [
            { action: 'unit:rename', resource: target },
            { action: 'unit:restore', resource: { ...target, unit: name }, isNewName: true },
          ],
    async handle({ target, body, caller }, { control }) {
      const view = await control.units.restore(target, defined(body), caller)
      return { status: 200, json: await shown(view, control, caller), headers: { etag: etagOf(view.etag) } }
    },
  }),
]

/** Whether a change concerns what protects a unit: how long versions are kept, and whether it may be decrypted. */
function protects({ retention, allowDecrypt }: { retention?: unknown; allowDecrypt?: unknown }): boolean {
  return retention !== undefined || allowDecrypt !== undefined
}

function labelsOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=')
      if (at < 1)
        throw badRequest('label', `"${text}" does not have the form name=value.`, 'Write label=team=network.')
      return [text.slice(0, at), text.slice(at + 1)]
    }),
  )
}

async function shown(
  view: UnitView,
  { units }: Pick<StateControl, 'units'>,
  caller: Caller,
): Promise<UnitView> {
  return visibleUnit(view, await units.visible(view.org, caller))
}

async function sayUsers(
  services: Pick<V1Services, 'graph' | 'control'>,
  ref: UnitRef,
  caller: Caller,
): Promise<string | undefined> {
  const { names, hasHidden, warning } = await usersOf(services, ref, caller)
  if (warning !== undefined) return `may be used by others. ${warning}`
  const users = [...names, ...(hasHidden ? ['units that you cannot see'] : [])]
  return users.length === 0 ? undefined : `is used by ${users.join(', ')}`
}
