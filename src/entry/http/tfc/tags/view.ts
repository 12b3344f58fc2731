import type { ReservedTagKey } from '../../../../projects/index.ts'
import { type ResourceObject, one, time } from '../kit/json-api.ts'
import { tagId } from './tag-id.ts'

export function viewTag({
  org,
  orgName,
  name,
  count,
}: {
  readonly org: string
  readonly orgName: string
  readonly name: string
  readonly count: number
}): ResourceObject {
  return {
    id: tagId(org, name),
    type: 'tags',
    attributes: { name, 'instance-count': count },
    relationships: { organization: one('organizations', orgName) },
  }
}

export function viewReservedTagKey({
  id,
  key,
  disableOverrides,
  createdAt,
  updatedAt,
}: ReservedTagKey): ResourceObject {
  return {
    id,
    type: 'reserved-tag-keys',
    attributes: {
      key,
      'disable-overrides': disableOverrides,
      'created-at': time(createdAt),
      'updated-at': time(updatedAt),
      // go-tfe decodes these names.
      created_at: time(createdAt),
      updated_at: time(updatedAt),
    },
  }
}
