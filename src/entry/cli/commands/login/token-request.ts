import { check, fields, text } from '../../api/check-answer.ts'
import { type Client, ofWholeServer, textOf } from '../../api/client.ts'

export const CLIENT_ID = 'taco-cli'

const tokenAnswer = fields({ access_token: text })

/** Sent once: a server takes a code that comes twice for a stolen one, and revokes its token. */
export async function requestToken(
  client: Client,
  grant: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  const form = { client_id: CLIENT_ID, ...grant }
  const reply = await client.send('POST', '/oauth/token', { form, query: ofWholeServer, signal })
  return check(tokenAnswer, JSON.parse(await textOf(reply))).access_token
}
