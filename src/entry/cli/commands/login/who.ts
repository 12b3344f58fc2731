import { type Of, check, fields, list, maybe, text } from '../../api/check-answer.ts'
import { type Client, ofWholeServer } from '../../api/client.ts'

const whoAnswer = fields({
  /** `user:alice`, `token:root`. */
  principal: text,
  name: maybe(text),
  email: maybe(text),
  /** The token that the request came with. */
  token: maybe(fields({ id: maybe(text), name: text, expiresAt: maybe(text) })),
  orgs: maybe(list(fields({ org: text, roles: list(text) }))),
})
export type Who = Of<typeof whoAnswer>

/** Both as the server sent it and checked. */
export async function askWho(client: Client): Promise<{ readonly raw: unknown; readonly who: Who }> {
  const raw = await client.json('GET', '/v1/whoami', { query: ofWholeServer })
  return { raw, who: check(whoAnswer, raw) }
}
