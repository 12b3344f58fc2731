import { createHash } from 'node:crypto'
import type { OutputView, UnitView } from '../../../../state/index.ts'
import { valueAs } from '../../openapi/raw-json.ts'
import { idBelow } from '../ids.ts'
import type { ResourceObject } from '../kit/json-api.ts'
import { stateVersionId } from '../workspaces/view.ts'

const HASH_LENGTH = 12

/** Leads to the unit, to the version, and to the output by a hash of its name. */
export function outputId(unit: Pick<UnitView, 'id'>, version: string, name: string): string {
  const own = stateVersionId(unit, { id: version }).slice('sv-'.length)
  return idBelow('wsout', own, hashOf(name))
}

function hashOf(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH)
}

/** What the id of an output says after that of the unit. */
export function outputParts(own: string): { readonly start: string; isOf(name: string): boolean } {
  const hash = own.slice(-HASH_LENGTH)
  return { start: `sv-${own.slice(0, -HASH_LENGTH)}`, isOf: (name) => hashOf(name) === hash }
}

/** Of a list: values of sensitive outputs are left out, and are only given one by one. */
export function viewOutput(id: string, output: OutputView): ResourceObject {
  const { name, sensitive, json } = output
  return {
    id,
    type: 'state-version-outputs',
    attributes: {
      name,
      sensitive,
      type: simpleType(output.type),
      // As they are in the state: numbers keep every digit.
      'detailed-type': valueAs('json', output.type),
      value: json === undefined ? null : valueAs('json', json),
    },
    links: { self: `/api/v2/state-version-outputs/${id}` },
  }
}

/** Beside a workspace, outputs have another type and fewer attributes. */
export function viewWorkspaceOutput(id: string, output: OutputView): ResourceObject {
  const { name, sensitive, json } = output
  return {
    id,
    type: 'workspace-outputs',
    attributes: {
      name,
      sensitive,
      'output-type': simpleType(output.type),
      value: json === undefined ? null : valueAs('json', json),
    },
  }
}

const SIMPLE: Readonly<Record<string, string>> = {
  bool: 'boolean',
  list: 'array',
  set: 'array',
  tuple: 'array',
}

/** `string`, `array`, `object` … for a type as engines write it. */
function simpleType(text: string): string {
  const type: unknown = JSON.parse(text)
  const kind = String(Array.isArray(type) ? type[0] : type)
  return SIMPLE[kind] ?? kind
}
