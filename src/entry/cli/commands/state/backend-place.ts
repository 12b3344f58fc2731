import { TacoError, isTacoError } from '../../../../base/errors.ts'
import { type BackendPlace, backendUrl } from '../../../../engines/index.ts'
import { check, fields, text } from '../../api/check-answer.ts'
import { ofWholeServer, unitPath } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { usageError } from '../../terminal/exit-codes.ts'

/**
 * Only `s3` makes a request: its code names the key of the state, and a unit that exists may have any. All others name
 * the unit, so they are right before it exists.
 */
export async function placeOf(
  session: Session,
  unit: string,
  kind: BackendPlace['kind'],
): Promise<BackendPlace> {
  const { kind: target, address } = session.target()
  if (target === 'bucket') {
    if (kind === 'http') return { kind, address: undefined }
    throw usageError(`A backend of the kind ${kind} needs a server.`, 'Give --server, or use the kind http.')
  }
  const org = session.org()
  switch (kind) {
    case 'http':
      return { kind, address: backendUrl(address, org, unit) }
    case 's3':
      return { kind, endpoint: `${address}/s3`, bucket: org, key: await stateKeyOf(session, unit) }
    default:
      return {
        kind,
        hostname: new URL(address).host,
        organization: org,
        workspace: unit.replaceAll('/', '--'),
      }
  }
}

/** Relative to the folder of the organization: what the S3 endpoint calls the key. */
async function stateKeyOf(session: Session, unit: string): Promise<string> {
  const client = await session.client()
  const key = await client.json('GET', unitPath(unit)).then(
    (answer) => check(fields({ key: text }), answer).key,
    (error: unknown) => {
      if (isTacoError(error, 'NOT_FOUND')) return undefined
      throw error
    },
  )
  // The first use creates the unit there.
  if (key === undefined) return `${unit}/terraform.tfstate`
  const path = `/v1/orgs/${encodeURIComponent(session.org())}`
  const { folder } = check(fields({ folder: text }), await client.json('GET', path, { query: ofWholeServer }))
  if (key.startsWith(folder)) return key.slice(folder.length)
  throw new TacoError('BAD_REQUEST', `The state of ${unit} is at ${key}, outside the folder ${folder}.`, {
    hint: 'Use another kind of backend for this unit.',
  })
}
