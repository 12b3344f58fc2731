import { z } from 'zod'
import { parseOrgName } from '../../../state/index.ts'
import { jsonAnswer, jsonBody, NoQuery } from '../openapi/api.ts'
import { route } from './define.ts'

const tags = ['access']
const params = z.object({ org: z.string() })
const target = ({ params }: { readonly params: { readonly org: string } }) => ({
  org: parseOrgName(params.org),
})
const lines = z.array(z.string()).meta({ description: 'The answer in words, then the rules behind it.' })

export const accessQuestionRoutes = [
  route({
    method: 'GET',
    path: '/v1/orgs/{org}/access/explain',
    id: 'explainAccess',
    action: 'access:read',
    tags,
    summary: 'Explain whether somebody may do something',
    params,
    query: z.strictObject({
      who: z.string().min(1).meta({
        description: 'A login name or user:<login>, team:<name>, group:<provider>/<group>, or everyone.',
        example: 'alice',
      }),
      action: z.string().min(1).meta({ example: 'state:write' }),
      unit: z
        .string()
        .min(1)
        .optional()
        .meta({ description: 'Name or id. Default: the organization itself.' }),
    }),
    target,
    answers: {
      200: jsonAnswer(
        z.object({
          allowed: z.boolean(),
          lines,
          because: z
            .array(
              z.object({
                role: z.string(),
                through: z.string().meta({ description: 'direct, team:<name>, group:<provider>/<group>.' }),
                rule: z.looseObject({ effect: z.enum(['allow', 'deny']), actions: z.array(z.string()) }),
                units: z.array(z.string()).nullable().meta({
                  description: 'The units that the role was narrowed to. Null: not narrowed.',
                }),
              }),
            )
            .meta({ description: 'Each rule that allows it or, if any denies it, each that does.' }),
        }),
        'The decision and the rules behind it',
      ),
    },
    async handle({ target: { org }, query, caller }, { control, accessQuestions }) {
      await control.orgs.get(org, caller)
      const { allowed, because, lines: said } = await accessQuestions.explain(org, query, caller)
      return {
        status: 200,
        json: {
          allowed,
          lines: [...said],
          because: because.map(({ units, rule, ...rest }) => ({
            ...rest,
            rule: { ...rule, actions: [...rule.actions] },
            units: units === undefined ? null : [...units],
          })),
        },
      }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/orgs/{org}/access/test',
    id: 'testAccess',
    // It changes nothing. A file can be long, so it comes as a body.
    audit: 'counted',
    action: 'access:read',
    tags,
    summary: 'Check a file of expectations about who may do what',
    params,
    query: NoQuery,
    body: jsonBody(
      z.strictObject({
        text: z.string().meta({ description: 'The file, in YAML or JSON: see docs/access.md.' }),
        path: z.string().max(1000).default('expectations').meta({ description: 'Its name, for messages.' }),
      }),
    ),
    target,
    answers: {
      200: jsonAnswer(
        z.object({
          items: z.array(
            z.object({
              line: z.number().int(),
              who: z.string(),
              action: z.string(),
              unit: z.string().nullable(),
              expected: z.enum(['allow', 'deny']),
              isMet: z.boolean(),
              lines,
            }),
          ),
          failed: z.number().int(),
        }),
        'Each expectation, and whether it is met',
      ),
    },
    async handle({ target: { org }, body, caller }, { control, accessQuestions }) {
      await control.orgs.get(org, caller)
      const found = await accessQuestions.test(org, body, caller)
      const items = found.map(({ line, who, action, unit, expected, isMet, lines: said }) => ({
        line,
        who,
        action,
        unit: unit ?? null,
        expected,
        isMet,
        lines: [...said],
      }))
      return { status: 200, json: { items, failed: items.filter(({ isMet }) => !isMet).length } }
    },
  }),
]
