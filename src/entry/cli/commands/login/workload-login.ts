import { TacoError, messageOf } from '../../../../base/errors.ts'
import { check, fields, text } from '../../api/check-answer.ts'
import type { Client } from '../../api/client.ts'
import { readToken } from '../../config/settings.ts'
import type { Session } from '../../session.ts'
import { unreachable, usageError } from '../../terminal/exit-codes.ts'
import type { SignIn } from './server.ts'
import { requestToken } from './token-request.ts'

/** RFC 8693: the identity that the platform of a job vouches for, against a short-lived token. */
export async function workloadLogin(
  session: Session,
  client: Client,
  { url }: SignIn,
  file: string | undefined,
): Promise<string> {
  return requestToken(
    client,
    {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      subject_token: await identityToken(session, url, file),
      org: session.org(),
    },
    session.signal,
  )
}

async function identityToken(session: Session, audience: string, file: string | undefined): Promise<string> {
  const { env } = session.world
  if (file !== undefined) return readToken(file)
  if (env['TACO_ID_TOKEN']) return env['TACO_ID_TOKEN']
  const { ACTIONS_ID_TOKEN_REQUEST_URL: address, ACTIONS_ID_TOKEN_REQUEST_TOKEN: bearer } = env
  if (address && bearer) return fromGithub(address, bearer, audience, session.signal)
  throw usageError(
    'There is no identity token of this job.',
    'On GitHub give the job `id-token: write`, on GitLab set TACO_ID_TOKEN with `id_tokens`, elsewhere use --id-token-file.',
  )
}

/** A GitHub Actions job gets a token for the audience that it asks for. */
async function fromGithub(
  address: string,
  bearer: string,
  audience: string,
  signal: AbortSignal,
): Promise<string> {
  const url = new URL(address)
  url.searchParams.set('audience', audience)
  const reply = await fetch(url, { headers: { authorization: `Bearer ${bearer}` }, signal }).catch(
    (error: unknown) => {
      throw unreachable(`GitHub gave no identity token: ${messageOf(error)}.`, 'Run the job again.', error)
    },
  )
  if (reply.ok) return check(fields({ value: text }), await reply.json()).value
  throw new TacoError('FORBIDDEN', `GitHub gave no identity token: it answered ${reply.status}.`, {
    hint: 'Give the job the permission `id-token: write`.',
  })
}
