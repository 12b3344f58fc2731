import { messageOf } from '../../../../base/errors.ts'
import { ofWholeServer } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { clientFor } from './server.ts'

/** RFC 7009. Undefined: the token is not valid any more. Otherwise why that is not certain. */
export async function revoke(session: Session, server: string, token: string): Promise<string | undefined> {
  const { signal } = session
  const client = clientFor(session, server)
  try {
    const reply = await client.send('POST', '/oauth/revoke', {
      form: { token },
      query: ofWholeServer,
      signal,
    })
    reply.resume()
    return undefined
  } catch (error) {
    return messageOf(error).replace(/\.$/, '')
  } finally {
    client.close()
  }
}
