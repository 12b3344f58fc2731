import { z } from 'zod'
import { openObject, openWord, otherKind } from '../bucket/index.ts'
import type { MemberPrincipal } from './principal.ts'
import { TokenScope } from './tokens/scope.ts'

const named = { id: z.string(), name: z.string(), scope: TokenScope.optional() }
const Via = z.union([
  openObject({ kind: z.literal('session'), id: z.string() }),
  openObject({ kind: z.literal('token'), id: z.string(), name: z.string() }),
  otherKind('session', 'token'),
])

/**
 * The caller who requested a run token, as stored with it. Their groups and the scope of their token stay as they were
 * then; their roles are looked up when the run reads. A kind that is unknown here has none, so its run reads its own
 * unit only.
 */
export const RunReader = z.union([
  openObject({
    ...named,
    kind: z.literal('user'),
    groups: z.array(z.string()),
    email: z.string().optional(),
    via: Via,
  }),
  openObject({ ...named, kind: z.literal('team'), org: z.string(), via: Via }),
  openObject({
    ...named,
    kind: z.literal('token'),
    use: openWord(z.enum(['organization', 'agent', 'workload'])),
    org: z.string(),
    roles: z.array(z.string()),
  }),
  otherKind('user', 'team', 'token'),
])

/** A kind or use that is unknown here: of no organization, so nothing is granted to it. */
const UNKNOWN: MemberPrincipal = {
  kind: 'team',
  id: '',
  name: 'unknown',
  org: '',
  via: { kind: 'session', id: '' },
}
const Known = z.object({
  kind: z.enum(['user', 'team', 'token']),
  use: z.enum(['organization', 'agent', 'workload']).optional(),
})

export function readerOf(stored: z.infer<typeof RunReader> | undefined): MemberPrincipal | undefined {
  if (stored === undefined) return undefined
  return Known.safeParse(stored).success ? (stored as MemberPrincipal) : UNKNOWN
}
