import { z } from 'zod'
import type { GpgKey } from '../../../../registry/index.ts'
import { resource } from '../kit/body.ts'
import { NO_CONTENT, type TfcServices, documented, ofOrg, ofServer, route } from '../kit/define.ts'
import { type ResourceObject, document, time } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'

/** The namespace of a key is an organization; some requests name it in their body. */
const common = { tags: ['terraform cloud'] } as const
const inRegistry = '/api/registry/{registry}/v2/gpg-keys'
const path = `${inRegistry}/{org}/{key}`
const Registry = z.enum(['private', 'public'])
const RegistryParams = z.object({ registry: Registry })
const KeyParams = z.object({ registry: Registry, org: z.string(), key: z.string() })

const NewKey = resource('gpg-keys', {
  attributes: { namespace: z.string(), 'ascii-armor': z.string() },
})
const Change = resource('gpg-keys', { attributes: { namespace: z.string() } })

export const gpgKeyRoutes = [
  route({
    ...common,
    method: 'GET',
    path: inRegistry,
    id: 'listGpgKeys',
    action: 'server:read',
    summary: 'List the GPG keys of organizations',
    params: RegistryParams,
    query: z.object({ ...paging, 'filter[namespace]': z.string() }),
    target: ofServer,
    also: ({ query }, services) =>
      namespacesIn(query['filter[namespace]']).map((name) => ({
        action: 'registry:read',
        resource: { org: services.control.orgNames.idOf(name) },
      })),
    answers: { 200: documented('Keys') },
    async handle({ query, x }, services) {
      const orgs = namespacesIn(query['filter[namespace]']).map(services.control.orgNames.idOf)
      const lists = await Promise.all(
        orgs.map(async (org) =>
          (await services.registry.gpgKeys.list(org)).map((key) => keyDocument(org, key, services)),
        ),
      )
      return { status: 200, ...listed(paged(lists.flat(), query, x)) }
    },
  }),
  route({
    ...common,
    method: 'POST',
    path: inRegistry,
    id: 'createGpgKey',
    action: 'server:read',
    summary: 'Add a GPG key that signs providers',
    params: RegistryParams,
    target: ofServer,
    body: NewKey,
    also: ({ body }, services) => [publishIn(body.attributes.namespace, services)],
    answers: { 201: documented('The key') },
    async handle({ body: { attributes }, caller }, services) {
      const org = services.control.orgNames.idOf(attributes.namespace)
      const key = await services.registry.gpgKeys.add(org, attributes['ascii-armor'], caller)
      return { status: 201, ...document(keyDocument(org, key, services)) }
    },
  }),
  route({
    ...common,
    method: 'GET',
    path,
    id: 'getGpgKey',
    action: 'registry:read',
    summary: 'Show a GPG key',
    params: KeyParams,
    target: ofOrg,
    answers: { 200: documented('The key') },
    async handle({ target: { org }, params }, services) {
      const key = await services.registry.gpgKeys.get(org, params.key)
      return { status: 200, ...document(keyDocument(org, key, services)) }
    },
  }),
  route({
    ...common,
    method: 'PATCH',
    path,
    id: 'updateGpgKey',
    action: 'registry:publish',
    summary: 'Move a GPG key to another organization',
    params: KeyParams,
    target: ofOrg,
    body: Change,
    also: ({ body }, services) => [publishIn(body.attributes.namespace, services)],
    answers: { 200: documented('The key') },
    async handle({ target: { org }, params, body, caller }, services) {
      const to = services.control.orgNames.idOf(body.attributes.namespace)
      const key = await services.registry.gpgKeys.move(org, params.key, to, caller)
      return { status: 200, ...document(keyDocument(to, key, services)) }
    },
  }),
  route({
    ...common,
    method: 'DELETE',
    path,
    id: 'deleteGpgKey',
    action: 'registry:publish',
    summary: 'Delete a GPG key',
    params: KeyParams,
    target: ofOrg,
    answers: { 204: NO_CONTENT },
    async handle({ target: { org }, params, caller }, { registry }) {
      await registry.gpgKeys.remove(org, params.key, caller)
      return { status: 204 }
    },
  }),
]

function namespacesIn(list: string): readonly string[] {
  return [...new Set(list.split(',').filter((name) => name !== ''))].slice(0, 50)
}

function publishIn(namespace: string, { control }: TfcServices) {
  return { action: 'registry:publish' as const, resource: { org: control.orgNames.idOf(namespace) } }
}

function keyDocument(org: string, key: GpgKey, { control }: TfcServices): ResourceObject {
  const namespace = control.orgNames.nameOf(org)
  return {
    id: key.id,
    type: 'gpg-keys',
    attributes: {
      'ascii-armor': key.asciiArmor,
      'key-id': key.keyId,
      namespace,
      source: key.source,
      'source-url': key.sourceUrl,
      'trust-signature': key.trustSignature,
      'created-at': time(key.createdAt),
      'updated-at': time(key.updatedAt),
    },
    links: { self: `/api/registry/private/v2/gpg-keys/${namespace}/${key.keyId}` },
  }
}
