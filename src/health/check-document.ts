import { z } from 'zod'
import { type DocumentKind, documentFields, openObject, openWord } from '../bucket/index.ts'
import type { DoctorFinding } from '../state/index.ts'
import { type CheckSubject, checkKey } from './layout.ts'

/** What a check found. */
const Finding = openObject({
  level: openWord(z.enum(['ok', 'info', 'warning', 'error'])),
  check: z.string(),
  message: z.string(),
  hint: z.string().nullable(),
  unit: z.string().nullable(),
  /** The id of an organization. Null: about the bucket. */
  org: z.string().nullable(),
  repaired: z.boolean(),
})
export type Finding = z.infer<typeof Finding>

const Options = openObject({ deep: z.boolean(), repair: z.boolean() })
export type CheckOptions = z.infer<typeof Options>

const AttemptState = z.enum(['running', 'done', 'failed', 'interrupted'])

/** The last check that was started, and how far it got. */
const Attempt = openObject({
  id: z.string(),
  state: openWord(AttemptState),
  options: Options,
  startedAt: z.number(),
  /** When the server that runs it last said so. */
  seenAt: z.number(),
  /** The text form of a principal. */
  by: z.string(),
  server: openObject({ id: z.string(), host: z.string() }),
  checked: z.number().int(),
  /** Undefined: not known yet. */
  total: z.number().int().optional(),
  /** Why it failed. */
  error: z.string().optional(),
})
export type Attempt = z.infer<typeof Attempt>

const Counts = openObject({
  ok: z.number().int(),
  info: z.number().int(),
  warning: z.number().int(),
  error: z.number().int(),
  repaired: z.number().int(),
})
export type Counts = z.infer<typeof Counts>

/** What the last check that ended found. */
const Report = openObject({
  options: Options,
  startedAt: z.number(),
  endedAt: z.number(),
  by: z.string(),
  server: openObject({ id: z.string(), host: z.string() }),
  checked: z.number().int(),
  counts: Counts,
  /** The worst first, and no more than fit into a document. */
  findings: z.array(Finding),
  /** How many did not fit. */
  omitted: z.number().int(),
})
export type Report = z.infer<typeof Report>

export const CheckDocument = openObject({
  ...documentFields(1),
  kind: openWord(z.enum(['bucket', 'audit'])),
  org: z.string().optional(),
  attempt: Attempt,
  report: Report.optional(),
})
export type CheckDocument = z.infer<typeof CheckDocument>

export const checkKind: DocumentKind<CheckDocument, CheckSubject> = {
  name: 'check',
  format: { schema: CheckDocument, major: 1, minor: 0 },
  keyOf: checkKey,
  refOf: ({ org }) => (org === undefined ? { kind: 'bucket' } : { kind: 'audit', org }),
  cache: { most: 200 },
}

/** A check whose server was silent for this long has ended with it. */
export const SILENT_MS = 60_000

/** As it is now: nothing tells of a server that was killed. Pure. */
export function attemptNow(attempt: Attempt, now: number): Attempt {
  const isLost = attempt.state === 'running' && now - attempt.seenAt > SILENT_MS
  return isLost ? { ...attempt, state: 'interrupted' } : attempt
}

/** In one object; more would only be scrolled past. */
export const MOST_FINDINGS = 500
const ORDER = ['error', 'warning', 'info', 'ok']

/** Gathers findings as they come. */
export function createGathering() {
  const counts = { ok: 0, info: 0, warning: 0, error: 0, repaired: 0 }
  const kept = new Map<string, Finding[]>(ORDER.map((level) => [level, []]))
  return {
    add(finding: DoctorFinding): void {
      if (finding.repaired) counts.repaired++
      else counts[finding.level]++
      const same = kept.get(finding.level)
      if (same !== undefined && same.length < MOST_FINDINGS) same.push(finding)
    },
    result(): Pick<Report, 'counts' | 'findings' | 'omitted'> {
      const findings = [...kept.values()].flat().slice(0, MOST_FINDINGS)
      const all = Object.values(counts).reduce((sum, one) => sum + one, 0)
      return { counts: { ...counts }, findings, omitted: all - findings.length }
    },
  }
}
