import { z } from 'zod'

/** Events of this layer: who may do what, and who signed in. */
export const AccessEventType = z.enum([
  'person.created',
  'person.signed-in',
  'person.signed-out',
  'person.groups-changed',
  'person.suspended',
  'person.resumed',
  'session.ended',
  'token.created',
  'token.revoked',
  'workload.changed',
  'workload.deleted',
  'team.created',
  'team.changed',
  'team.deleted',
  'team.member-added',
  'team.member-removed',
  'role.changed',
  'role.deleted',
  'role.granted',
  'role.revoked',
  'guard.set',
  'guard.ended',
  'guard.broken',
  'server.changed',
  'server.administrator-added',
  'server.administrator-removed',
  'provider.changed',
  'provider.removed',
])
export type AccessEventType = z.infer<typeof AccessEventType>
