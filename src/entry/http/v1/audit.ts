import { z } from 'zod'
import { AuditFinding, AuditRecord as Record } from '../../../state/index.ts'
import { defined } from '../kit/drop-undefined.ts'
import { Problem } from '../kit/response/problem.ts'
import { Limit, Repeated, jsonAnswer } from '../openapi/api.ts'
import { route } from './define.ts'
import { ndjson } from './events/ndjson.ts'

const Finding = AuditFinding.meta({ id: 'AuditFinding' })
const AuditRecord = Record.meta({ id: 'AuditRecord' })
const Time = z.iso
  .datetime({ offset: true })
  .transform((text) => Date.parse(text))
  .optional()

export const auditRoutes = [
  route({
    method: 'GET',
    path: '/v1/audit',
    id: 'listAuditRecords',
    action: 'audit:read',
    tags: ['audit'],
    summary: 'List who changed what, and who was refused, newest first',
    query: z.strictObject({
      org: z.string().optional().meta({ description: 'Default: all of them, and the server.' }),
      unit: z.string().optional().meta({ description: 'Name or id.' }),
      who: z.string().min(1).optional().meta({
        description: 'A principal (user:alice), its name, or the id of a token, session or run.',
      }),
      action: z.string().min(1).optional().meta({
        description: 'An action or the type of an event. A "*" at the end matches the rest.',
        example: 'state:*',
      }),
      result: z.enum(['done', 'refused']).optional(),
      since: Time,
      until: Time,
      limit: Limit,
      cursor: z.string().min(1).optional().meta({ description: 'The "next" of an earlier answer.' }),
    }),
    target: ({ query: { org, unit } }) => ({ org, unit }),
    answers: {
      200: jsonAnswer(
        z.object({
          items: z.array(AuditRecord),
          next: z.string().nullable().meta({
            description: 'Cursor of the next page; null: this is the last. A page may be empty before that.',
          }),
        }),
        'A page',
      ),
    },
    async handle({ query, caller }, { control }) {
      const { items, next } = await control.audit.read(defined(query), caller)
      return { status: 200, json: { items: [...items], next: next ?? null } }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/audit/verify',
    id: 'verifyAudit',
    action: 'audit:read',
    tags: ['audit'],
    summary: 'Compare the journal with its seals, and name each object that was changed, removed or added',
    query: z.strictObject({
      org: z.string().optional().meta({ description: 'Default: all of them, and the server.' }),
      since: Time.meta({ description: 'Read only what was recorded since then. Seals are always checked.' }),
      expect: Repeated.meta({
        description: 'The hash of a seal that must be there, as an earlier answer gave it. May be repeated.',
      }),
    }),
    target: ({ query: { org } }) => ({ org }),
    answers: {
      200: {
        description: 'One finding per line. Each journal ends with a finding of kind "chain".',
        content: {
          'application/x-ndjson': { schema: z.union([Finding, z.object({ error: Problem })]) },
        },
      },
    },
    handle: ({ query, x, caller }, { control, log }) => ({
      status: 200,
      ...ndjson(control.audit.verify(defined(query), { ...caller, signal: x.signal }), { x, log }),
    }),
  }),
]
