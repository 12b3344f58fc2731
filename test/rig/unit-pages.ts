import { systemCaller } from '../../src/access/index.ts'
import { named, push } from '../support/state.ts'
import { browserOf, startSsoFace } from './sso-face.ts'
import { createTestBrowser, startWebFace } from './web-face.ts'

/** For tests of the pages of a unit: `prod/data/orders`, which `prod/apps/shop` uses. */

export const system = systemCaller('opentaco')
export const page = (tab = '') => `/app/default/units/prod--data--orders${tab}`

/** A state with two outputs, one of them sensitive, and the resources of `size` machines. */
export function state(serial: number, url: string, size = 2): string {
  const resource = (mode: string, name: string, instances: object[]) => ({
    mode,
    type: 'aws_instance',
    name,
    provider: 'provider["registry.opentofu.org/hashicorp/aws"]',
    instances,
  })
  const machines = Array.from({ length: size }, (_, at) => ({
    index_key: at,
    schema_version: 0,
    attributes: { id: `i-${at}`, url },
  }))
  return JSON.stringify({
    version: 4,
    terraform_version: '1.11.4',
    serial,
    lineage: 'L',
    outputs: {
      url: { value: url, type: 'string' },
      password: { value: 'hunter2', type: 'string', sensitive: true },
    },
    resources: [resource('managed', 'web', machines), resource('data', 'image', [{ attributes: {} }])],
  })
}

async function fill({ deps: { control, graph } }: Pick<Awaited<ReturnType<typeof startWebFace>>, 'deps'>) {
  await push(control, 'prod/data/orders', state(1, 'http://one'))
  await push(control, 'prod/data/orders', state(2, 'http://two'))
  await push(control, 'prod/apps/shop', state(1, 'http://shop'))
  const used = { on: 'prod/data/orders', outputs: ['url'] }
  await graph.dependencies.add(named('prod/apps/shop'), used, system)
}

export async function startUnit() {
  const face = await startWebFace()
  await fill(face)
  return { face, control: face.deps.control, browser: createTestBrowser(face) }
}

/** A person who may do these things with every unit of this pattern. */
export async function startPerson(actions: readonly string[], units = '**') {
  const face = await startSsoFace()
  await fill(face)
  return { face, control: face.deps.control, browser: await browserOf(face, 'bob', [units], actions) }
}
