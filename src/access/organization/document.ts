import { z } from 'zod'
import { type DocumentKind, documentFields, openObject, openWord } from '../../bucket/index.ts'
import { orgAccessKey } from '../layout.ts'
import { JournalEvent } from '../journal-port.ts'
import { Binding } from '../policy/bindings.ts'
import { Role } from '../policy/rules.ts'
import { WorkloadRule } from '../workload/rule.ts'

const Team = openObject({
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  /** Ids of people. */
  members: z.array(z.string()),
  /** Groups of identity providers whose members are in the team too: `<provider>/<group>`. */
  groups: z.array(z.string()),
  createdAt: z.number(),
  /** `organization`: everyone in the organization sees it. Otherwise its members and those who see all teams. */
  visibility: openWord(z.enum(['secret', 'organization'])).optional(),
  /** What an identity provider calls it. Stored for clients of the Terraform Cloud API; use `groups`. */
  ssoTeamId: z.string().optional(),
  /** Members may issue and revoke tokens of the team. */
  allowMemberTokens: z.boolean().optional(),
})
export type Team = z.infer<typeof Team>

/** States that only runs may write. */
const Guard = openObject({
  id: z.string(),
  /** Patterns of unit names. Without: the whole organization. */
  units: z.array(z.string()).min(1).optional(),
  reason: z.string().optional(),
  at: z.number(),
  by: z.string(),
})
export type Guard = z.infer<typeof Guard>

/** Somebody may write one guarded unit for a while. */
const BrokenGlass = openObject({
  unit: z.string(),
  /** The text form of a principal. */
  by: z.string(),
  reason: z.string(),
  at: z.number(),
  until: z.number(),
})
export type BrokenGlass = z.infer<typeof BrokenGlass>

/** Somebody who belongs to the organization by a verified e-mail address, also before they sign in for the first time. */
const Invitation = openObject({
  id: z.string(),
  /** In lower case. */
  email: z.string(),
  /** Ids of the teams that they are in. */
  teams: z.array(z.string()),
  at: z.number(),
  by: z.string(),
})
export type Invitation = z.infer<typeof Invitation>

/** How long tokens may be valid, by kind. What is left out is not limited. */
const TokenLimits = openObject({
  organization: z.number().optional(),
  team: z.number().optional(),
  'audit-trails': z.number().optional(),
})
export type TokenLimits = z.infer<typeof TokenLimits>

/** Who may do what in one organization. One document, so that every decision is made on one consistent reading. */
export const OrgAccessDocument = openObject({
  ...documentFields(1),
  org: z.string(),
  teams: z.array(Team),
  roles: z.array(Role),
  bindings: z.array(Binding),
  guards: z.array(Guard),
  brokenGlass: z.array(BrokenGlass),
  workloads: z.array(WorkloadRule),
  invitations: z.array(Invitation).optional(),
  /** In milliseconds. */
  tokenLimits: TokenLimits.optional(),
  outbox: z.array(JournalEvent),
})
export type OrgAccessDocument = z.infer<typeof OrgAccessDocument>

/** The part that decisions are made on. */
export type OrgPolicy = Pick<
  OrgAccessDocument,
  | 'org'
  | 'teams'
  | 'roles'
  | 'bindings'
  | 'guards'
  | 'brokenGlass'
  | 'workloads'
  | 'invitations'
  | 'tokenLimits'
>

export function emptyPolicy(org: string): OrgPolicy {
  return { org, teams: [], roles: [], bindings: [], guards: [], brokenGlass: [], workloads: [] }
}

export const orgAccessKind: DocumentKind<OrgAccessDocument, string> = {
  name: 'access document',
  format: { schema: OrgAccessDocument, major: 1, minor: 0 },
  keyOf: orgAccessKey,
  refOf: ({ org }) => org,
  cache: { most: 500 },
}
