import { z } from 'zod'
import type { Action } from '../../../access/index.ts'
import type { KeyRef, KeyedUnit } from '../../../state/index.ts'
import { isTacoError } from '../../../base/errors.ts'
import type { SigningKeys } from '../auth/signing-keys.ts'
import type { HttpDeps } from '../deps.ts'
import type { FaceStyle } from '../kit/exchange.ts'
import { PROGRAM_HEADERS } from '../kit/response/program-headers.ts'
import { routesOf } from '../kit/routes/route.ts'
import { s3Errors } from './errors.ts'

/** What the S3 face works with. */
export interface S3Services extends Pick<HttpDeps, 'control' | 'limits' | 'clock' | 'freeBuffers'> {
  readonly keys: SigningKeys
}

export const s3Style: FaceStyle = {
  errors: s3Errors,
  headers: PROGRAM_HEADERS,
}

export const { rawRoute } = routesOf<S3Services>(s3Style)

const LOCK = '.tflock'

/** The key of the state that an object is about: itself, or the state whose lock it is. */
export function stateKeyOf(key: string): { readonly key: string; readonly isLock: boolean } {
  return key.endsWith(LOCK) ? { key: key.slice(0, -LOCK.length), isLock: true } : { key, isLock: false }
}

interface Addressed {
  readonly params: { readonly org: string; readonly key: string }
  readonly query: Readonly<Record<string, unknown>>
}

/** What all routes of an object have in common. */
export function objectRoute(state: Action) {
  return {
    path: '/s3/{org}/{key...}',
    tags: ['s3'],
    action: state,
    params: z.object({ org: z.string(), key: z.string() }),
    query: z.looseObject({}),
    headers: z.object({ 'if-match': z.string().optional(), 'if-none-match': z.string().optional() }),
    isForEngines: true,
    /** Those who hold a lock must be able to read and release it, so no other right is asked of them. */
    actionOf: ({ params, query }: Addressed): Action => {
      if (stateKeyOf(params.key).isLock) return 'lock'
      return 'uploadId' in query ? 'state:write' : state
    },
    target: ({ params: { org, key } }: Addressed, { control }: S3Services): Promise<KeyedUnit> =>
      unitAt({ org, key: stateKeyOf(key).key }, control),
  } as const
}

/** An organization that does not exist is refused like one that is hidden: when it is authorized. */
async function unitAt(ref: KeyRef, { keys }: S3Services['control']): Promise<KeyedUnit> {
  try {
    return await keys.find(ref)
  } catch (error) {
    if (!isTacoError(error, 'NOT_FOUND')) throw error
    return { ...ref, unit: ref.key, name: ref.key, isNew: true }
  }
}
