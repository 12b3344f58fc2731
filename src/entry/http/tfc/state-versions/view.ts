import type { UnitView, VersionView } from '../../../../state/index.ts'
import { type ResourceObject, many, one } from '../kit/json-api.ts'
import { stateVersionId } from '../workspaces/view.ts'

/** Clients that apply locally save the state at most this often while they work. */
export const SNAPSHOTS = { 'x-terraform-snapshot-interval': '20' } as const

export interface VersionViewer {
  /** As clients reach the server. */
  readonly base: string
  readonly unit: Pick<UnitView, 'id'>
  /** Ids of outputs, where they are known. */
  readonly outputs?: readonly string[]
}

export function viewStateVersion(
  version: VersionView,
  { base, unit, outputs = [] }: VersionViewer,
): ResourceObject {
  const id = stateVersionId(unit, version)
  return {
    id,
    type: 'state-versions',
    attributes: {
      'created-at': version.at,
      serial: version.serial,
      lineage: version.lineage,
      size: version.size,
      status: version.status === 'superseded' ? 'discarded' : 'finalized',
      intermediate: false,
      'hosted-state-download-url': `${base}/api/v2/state-versions/${id}/download`,
      'hosted-json-state-download-url': null,
      'hosted-state-upload-url': null,
      'hosted-json-state-upload-url': null,
      'state-version': 4,
      'terraform-version': version.terraformVersion,
      'resources-processed': true,
      resources: [],
      modules: {},
      providers: {},
      'vcs-commit-sha': null,
      'vcs-commit-url': null,
      'billable-rum-count': version.resources ?? 0,
    },
    relationships: {
      workspace: one('workspaces', unit.id),
      run: one('runs', null),
      'created-by': one('users', version.by.replace(/^[a-z]+:/, '').replaceAll('/', '-')),
      outputs: many('state-version-outputs', outputs),
    },
    links: { self: `/api/v2/state-versions/${id}` },
  }
}

/** A version whose bytes have not come yet. */
export function viewPending(
  id: string,
  unit: Pick<UnitView, 'id'>,
  { serial, at, uploads }: { readonly serial: number; readonly at: string; readonly uploads: Uploads },
): ResourceObject {
  return {
    id,
    type: 'state-versions',
    attributes: {
      'created-at': at,
      serial,
      status: 'pending',
      'hosted-state-download-url': null,
      'hosted-json-state-download-url': null,
      'hosted-state-upload-url': uploads.state,
      'hosted-json-state-upload-url': uploads.json,
      'resources-processed': false,
      resources: [],
      modules: {},
      providers: {},
    },
    relationships: {
      workspace: one('workspaces', unit.id),
      run: one('runs', null),
      outputs: many('state-version-outputs', []),
    },
    links: { self: `/api/v2/state-versions/${id}` },
  }
}

/** Addresses that take the bytes. */
export interface Uploads {
  readonly state: string | null
  readonly json: string | null
}
