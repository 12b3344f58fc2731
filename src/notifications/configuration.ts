import { z } from 'zod'
import { openObject, openWord } from '../bucket/index.ts'
import type { RecordKind, RecordOf } from '../records/index.ts'
import { maskUrl } from '../base/text/mask-url.ts'

export const DestinationKind = z.enum(['generic', 'slack', 'microsoft-teams', 'email'])
export type DestinationKind = z.infer<typeof DestinationKind>

export const ScopeKind = z.enum(['organization', 'unit', 'project', 'team'])
export type ScopeKind = z.infer<typeof ScopeKind>

const shape = {
  name: z.string(),
  destination: openWord(DestinationKind),
  isEnabled: z.boolean(),
  /** Since when: earlier events are not delivered. */
  enabledAt: z.number().optional(),
  triggers: z.array(z.string()),
  /** What it is about: events of all of the organization, or of one unit, project or team. */
  scope: openObject({ kind: openWord(ScopeKind), id: z.string().optional() }),
  /** Of a webhook. It may carry a secret, so it is masked wherever it is not needed. */
  url: z.string().optional(),
  /** Signs what is sent. Sealed. */
  token: z.string().optional(),
  emails: z.array(z.string()),
  /** Ids of people who get e-mail at the address that their sign-in provider knows. */
  users: z.array(z.string()),
}
export type Configuration = RecordOf<typeof shape>
export type Scope = Configuration['scope']

export const configurationKind: RecordKind<typeof shape> = {
  name: 'notification',
  folder: 'notifications',
  word: 'notification',
  prefix: 'nc',
  shape,
  most: 5_000,
  says: ({ name, destination, scope, url, isEnabled, triggers }) => ({
    name,
    destination,
    isEnabled,
    triggers,
    scope: scope.kind,
    ...(scope.id === undefined ? {} : { of: scope.id }),
    ...(url === undefined ? {} : { url: maskUrl(url) }),
  }),
}

export function tokenContext(id: string): string {
  return `notification ${id} token`
}
