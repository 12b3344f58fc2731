import { hasTag, orgTag } from '../../../../records/index.ts'

/**
 * An invitation has an id of the usual form. Other people belong to an organization without a record of it, so the id
 * of their membership consists of their own and the tag of the organization.
 */
const OF_PERSON = /^ou-([0-9A-Za-z]{16})([0-9A-Za-z]{4})$/

export function membershipIdOf(user: string, org: string): string {
  return `ou-${user.slice(user.indexOf('-') + 1)}${orgTag(org)}`
}

/** Whether the id could be that of a membership in this organization. */
export function couldBeIn(id: string, org: string): boolean {
  const match = OF_PERSON.exec(id)
  return match === null ? id.startsWith('ou-') && hasTag(id, org) : match[2] === orgTag(org)
}
