import { createHash } from 'node:crypto'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const LENGTH = 4

/**
 * Four characters that stand for an organization in the ids of its records. An address of the Terraform Cloud API often
 * has nothing but such an id: the tag leads to the organization without an index. Two organizations may share a tag, so
 * it only says where to look first.
 */
export function orgTag(org: string): string {
  const hash = createHash('sha256').update(org).digest()
  let tag = ''
  for (let i = 0; i < LENGTH; i++) tag += ALPHABET[hash.readUInt16BE(2 * i) % ALPHABET.length]
  return tag
}

/** An id of the usual form whose first characters are the tag of its organization. */
export function taggedId(random: string, org: string): string {
  const dash = random.indexOf('-') + 1
  return random.slice(0, dash) + orgTag(org) + random.slice(dash + LENGTH)
}

export function hasTag(id: string, org: string): boolean {
  return id.startsWith(orgTag(org), id.indexOf('-') + 1)
}
