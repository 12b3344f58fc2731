import { z } from 'zod'
import { AuditRecord as Record } from '../../../state/index.ts'
import { defined } from '../kit/drop-undefined.ts'
import { Limit, jsonAnswer } from '../openapi/api.ts'
import { route } from './define.ts'

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
]
