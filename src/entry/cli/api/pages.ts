import type { Client, SendOptions } from './client.ts'
import { check, fields, list, maybe, text } from './check-answer.ts'

const page = fields({ items: list((value) => value), next: maybe(text) })

/** Every item of a list, however many pages it takes. */
export async function* allPages(
  client: Client,
  path: string,
  query: SendOptions['query'] = {},
  see: (page: unknown) => void = () => {},
): AsyncGenerator<readonly unknown[]> {
  let cursor: string | undefined
  do {
    const answer = await client.json('GET', path, { query: { limit: 1000, ...query, cursor } })
    const { items, next } = check(page, answer)
    see(answer)
    yield items
    cursor = next ?? undefined
  } while (cursor !== undefined)
}

export async function wholeList(
  client: Client,
  path: string,
  query?: SendOptions['query'],
  most = Infinity,
  see?: (page: unknown) => void,
): Promise<unknown[]> {
  const all: unknown[] = []
  for await (const items of allPages(client, path, query, see)) {
    for (const item of items) all.push(item)
    if (all.length >= most) return all.slice(0, most)
  }
  return all
}
