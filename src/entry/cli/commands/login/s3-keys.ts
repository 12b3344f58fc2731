import { check, fields, text } from '../../api/check-answer.ts'
import { ofWholeServer } from '../../api/client.ts'
import type { Session } from '../../session.ts'

/** The keys are derived from the token on every call: they have its rights and end with it. */
export async function s3Keys(
  session: Session,
  _args: readonly string[],
  { format }: { readonly format: 'env' | 'process' },
): Promise<void> {
  const { output } = session
  const client = await session.client()
  const answer = await client.json('POST', '/v1/s3-keys', { query: ofWholeServer })
  if (output.asJson) return output.json(answer)
  const { accessKeyId, secretAccessKey } = check(fields({ accessKeyId: text, secretAccessKey: text }), answer)
  if (format === 'process') {
    const keys = { Version: 1, AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey }
    return output.data(`${JSON.stringify(keys)}\n`)
  }
  // A session token in the environment would be sent as well.
  output.data(
    `export AWS_ACCESS_KEY_ID=${accessKeyId} AWS_SECRET_ACCESS_KEY=${secretAccessKey}\nunset AWS_SESSION_TOKEN\n`,
  )
}
