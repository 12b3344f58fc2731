import { z } from 'zod'
import { openObject } from '../bucket/index.ts'
import { TokenScope } from './tokens/scope.ts'

const named = { id: z.string(), name: z.string(), scope: TokenScope.optional() }
const Via = z.discriminatedUnion('kind', [
  openObject({ kind: z.literal('session'), id: z.string() }),
  openObject({ kind: z.literal('token'), id: z.string(), name: z.string() }),
])

/**
 * The caller who requested a run token, as stored with it. Their groups and the scope of their token stay as they were
 * then; their roles are looked up when the run reads. A kind that is unknown here makes the record unreadable.
 */
export const RunReader = z.discriminatedUnion('kind', [
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
    use: z.enum(['organization', 'agent', 'workload']),
    org: z.string(),
    roles: z.array(z.string()),
  }),
])
