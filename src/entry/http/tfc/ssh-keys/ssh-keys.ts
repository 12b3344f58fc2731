import { z } from 'zod'
import type { Caller } from '../../../../access/index.ts'
import type { SshKey } from '../../../../execution/index.ts'
import { settingsChange, settingsOf } from '../../../../projects/index.ts'
import { resource } from '../kit/body.ts'
import {
  NO_CONTENT,
  OrgParams,
  type TfcServices,
  WorkspaceParams,
  documented,
  ofOrg,
  ofWorkspace,
  route,
} from '../kit/define.ts'
import { invalidAttribute } from '../kit/errors.ts'
import { document, type ResourceObject } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { allUnits } from '../workspaces/list.ts'
import { viewWorkspace, viewerOf } from '../workspaces/view.ts'

const tags = ['terraform cloud']
const params = z.object({ key: z.string() })
const Name = z.string().trim().min(1).max(255)
/** No private key comes near this. */
const Value = z.string().trim().min(1).max(64_000)

async function ofKey(
  { params: { key } }: { readonly params: z.infer<typeof params> },
  { locator, sshKeys }: Pick<TfcServices, 'locator' | 'sshKeys'>,
) {
  return locator.record(sshKeys, key)
}

/** The key itself is never shown. */
function view({ id, name }: SshKey): ResourceObject {
  return { id, type: 'ssh-keys', attributes: { name }, links: { self: `/api/v2/ssh-keys/${id}` } }
}

/** Undefined takes it away. */
function assign(
  { control }: Pick<TfcServices, 'control'>,
  ref: { readonly org: string; readonly unit: string },
  sshKey: string | undefined,
  caller: Caller,
) {
  const section = settingsChange((settings) => ({ ...settings, sshKey }))
  return control.units.update(ref, { section }, caller)
}

export const sshKeyRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/organizations/{org}/ssh-keys',
    id: 'tfcListSshKeys',
    action: 'org:read',
    tags,
    summary: 'List SSH keys',
    params: OrgParams,
    query: z.object(paging),
    target: ofOrg,
    answers: { 200: documented('The keys, without their values') },
    async handle({ target: { org }, query, x }, { sshKeys }) {
      return { status: 200, ...listed(paged((await sshKeys.list(org)).map(view), query, x)) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/v2/organizations/{org}/ssh-keys',
    id: 'tfcCreateSshKey',
    action: 'org:admin',
    tags,
    summary: 'Store an SSH key',
    params: OrgParams,
    body: resource('ssh-keys', { attributes: { name: Name, value: Value } }),
    target: ofOrg,
    answers: { 201: documented('The key, without its value') },
    async handle({ target: { org }, body: { attributes }, caller }, { sshKeys }) {
      return { status: 201, ...document(view(await sshKeys.create(org, attributes, caller))) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/ssh-keys/{key}',
    id: 'tfcShowSshKey',
    action: 'org:read',
    tags,
    summary: 'Show an SSH key, without its value',
    params,
    target: ofKey,
    answers: { 200: documented('The key') },
    handle: ({ target: { record } }) => ({ status: 200 as const, ...document(view(record)) }),
  }),
  route({
    method: 'PATCH',
    path: '/api/v2/ssh-keys/{key}',
    id: 'tfcUpdateSshKey',
    action: 'org:admin',
    tags,
    summary: 'Rename an SSH key, or replace its value',
    params,
    body: resource('ssh-keys', { attributes: { name: Name.optional(), value: Value.optional() } }),
    target: ofKey,
    answers: { 200: documented('The key, without its value') },
    async handle({ target: { org, record }, body: { attributes }, caller }, { sshKeys }) {
      return { status: 200, ...document(view(await sshKeys.update(org, record.id, attributes, caller))) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v2/ssh-keys/{key}',
    id: 'tfcDeleteSshKey',
    action: 'org:admin',
    tags,
    summary: 'Delete an SSH key',
    params,
    target: ofKey,
    answers: { 204: NO_CONTENT },
    async handle({ target: { org, record }, caller }, services) {
      for (const unit of await allUnits(services, org, caller))
        if (settingsOf(unit).sshKey === record.id)
          await assign(services, { org, unit: unit.id }, undefined, caller)
      await services.sshKeys.remove(org, record.id, caller)
      return { status: 204 }
    },
  }),
  route({
    method: 'PATCH',
    path: '/api/v2/workspaces/{workspace}/relationships/ssh-key',
    id: 'tfcAssignSshKey',
    action: 'unit:update',
    tags,
    summary: 'Assign an SSH key to a workspace, or take it away',
    params: WorkspaceParams,
    body: resource('workspaces', { attributes: { id: z.string().nullish() } }),
    target: ofWorkspace,
    answers: { 200: documented('The workspace') },
    async handle({ target, body: { attributes }, caller }, services) {
      const key = attributes.id ?? undefined
      if (key !== undefined && (await services.sshKeys.find(target.org, key)) === undefined)
        throw invalidAttribute('id', `There is no SSH key ${key} in this organization.`)
      const unit = await assign(services, target, key, caller)
      const viewer = await viewerOf(services, target.org, caller)
      return { status: 200, ...document(viewWorkspace(unit, viewer)) }
    },
  }),
]
