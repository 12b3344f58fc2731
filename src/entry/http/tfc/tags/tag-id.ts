import { notFound } from '../kit/errors.ts'

/** Says the organization and the name of a tag, so that it leads to both without an index. */
export function tagId(org: string, name: string): string {
  return `tag-${Buffer.from(`${org} ${name}`).toString('hex')}`
}

export function readTagId(id: string): { readonly org: string; readonly name: string } {
  if (!/^tag-(?:[0-9a-f]{2}){3,400}$/.test(id)) throw notFound()
  const text = Buffer.from(id.slice('tag-'.length), 'hex').toString()
  const space = text.indexOf(' ')
  return { org: text.slice(0, space), name: text.slice(space + 1) }
}
