import { z } from 'zod'
import { isoTime } from '../../../base/clock.ts'
import type { CheckView, Report, ServerView } from '../../../health/index.ts'
import { NoQuery, jsonAnswer, jsonBody } from '../openapi/api.ts'
import { DoctorFinding } from '../openapi/openapi-schemas.ts'
import { OrgParams } from './access/shared.ts'
import { ofServer, route } from './define.ts'

const tags = ['upkeep']

const Server = z
  .object({
    id: z.string().meta({ example: 'srv-Gx4vUkP2sWq7ZrTn' }),
    host: z.string(),
    pid: z.number().int(),
    version: z.string(),
    url: z.string().meta({ description: 'Its public address, or where it listens.' }),
    auth: z.string(),
    startedAt: z.iso.datetime(),
    seenAt: z.iso.datetime().meta({ description: 'Servers say once a minute that they run.' }),
    isSeen: z.boolean().meta({
      description: 'False: it ended without saying so, or does not reach the bucket.',
    }),
    bucketMs: z.number().nullable().meta({ description: 'How long the bucket took to answer it then.' }),
  })
  .meta({ id: 'RunningServer' })

const Options = z.object({ deep: z.boolean(), repair: z.boolean() })
const Count = z.number().int()
const Finding = DoctorFinding.extend({ level: z.string() })
const Check = z
  .object({
    state: z.string().meta({
      description:
        'Of the check that was started last: running, done, failed or interrupted (its server ended).',
      example: 'done',
    }),
    options: Options,
    startedAt: z.iso.datetime(),
    by: z.string(),
    host: z.string().meta({ description: 'The machine that runs it.' }),
    checked: Count.meta({ description: 'Units so far.' }),
    total: Count.nullable().meta({ description: 'Null: not known yet.' }),
    error: z.string().nullable().meta({ description: 'Why it failed.' }),
    report: z
      .object({
        options: Options,
        startedAt: z.iso.datetime(),
        endedAt: z.iso.datetime(),
        by: z.string(),
        host: z.string(),
        checked: Count,
        counts: z.object({ ok: Count, info: Count, warning: Count, error: Count, repaired: Count }),
        findings: z.array(Finding).meta({ description: 'The worst first; at most 500.' }),
        omitted: Count.meta({ description: 'How many findings are left out.' }),
      })
      .nullable()
      .meta({ description: 'What the last check that ended found. Null: none has.' }),
  })
  .meta({ id: 'Check' })
const Shown = z.object({ check: Check.nullable().meta({ description: 'Null: there was none yet.' }) })

function viewServer({ startedAt, seenAt, bucketMs, ...rest }: ServerView): z.input<typeof Server> {
  return {
    ...rest,
    startedAt: isoTime(startedAt),
    seenAt: isoTime(seenAt),
    bucketMs: bucketMs ?? null,
  }
}

function viewCheck({ attempt, report }: CheckView): z.input<typeof Check> {
  const { state, options, startedAt, by, server, checked, total = null, error = null } = attempt
  return {
    state,
    options,
    startedAt: isoTime(startedAt),
    by,
    host: server.host,
    checked,
    total,
    error,
    report: report === undefined ? null : viewReport(report),
  }
}

function viewReport({ startedAt, endedAt, server, findings, ...rest }: Report) {
  return {
    ...rest,
    startedAt: isoTime(startedAt),
    endedAt: isoTime(endedAt),
    host: server.host,
    findings: [...findings],
  }
}

const auditPath = '/v1/orgs/{org}/checks/audit'
const ofOrgParams = ({ params: { org } }: { readonly params: { readonly org: string } }) => ({ org })

export const healthRoutes = [
  route({
    method: 'GET',
    path: '/v1/servers',
    id: 'listServers',
    action: 'server:admin',
    tags,
    summary: 'List the servers that run on the bucket',
    query: NoQuery,
    target: ofServer,
    answers: {
      200: jsonAnswer(
        z.object({
          items: z.array(Server),
          unreadable: Count.meta({ description: 'Servers that describe themselves in a newer format.' }),
          asOf: z.iso.datetime(),
          problem: z
            .string()
            .nullable()
            .meta({ description: 'Why the list is older: the bucket does not answer.' }),
        }),
        'All servers',
      ),
    },
    async handle(_, { health }) {
      const { items, unreadable, asOf, problem = null } = await health.servers.list()
      return {
        status: 200,
        json: { items: items.map(viewServer), unreadable, asOf: isoTime(asOf), problem },
      }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/checks/bucket',
    id: 'showBucketCheck',
    action: 'server:admin',
    tags,
    summary: 'Show the last check of the bucket that ran in the background',
    query: NoQuery,
    target: ofServer,
    answers: { 200: jsonAnswer(Shown, 'The check, and what the last one that ended found') },
    async handle(_, { health }) {
      const found = await health.checks.show({ kind: 'bucket' })
      return { status: 200, json: { check: found === undefined ? null : viewCheck(found) } }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/checks/bucket',
    id: 'startBucketCheck',
    action: 'server:admin',
    tags,
    summary: 'Check the bucket in the background of the server, and repair what can be repaired',
    description: 'The same checks as `POST /v1/doctor`. One runs at a time, on one of the servers.',
    query: NoQuery,
    body: jsonBody(z.strictObject({ deep: z.boolean().default(false), repair: z.boolean().default(false) })),
    target: ofServer,
    answers: { 202: jsonAnswer(Shown, 'It has started') },
    async handle({ body, caller }, { health }) {
      const started = await health.checks.start({ kind: 'bucket' }, body, caller)
      return { status: 202, json: { check: viewCheck(started) } }
    },
  }),
  route({
    method: 'GET',
    path: auditPath,
    id: 'showAuditCheck',
    action: 'audit:read',
    tags: ['audit'],
    summary: 'Show the last verification of the audit that ran in the background',
    params: OrgParams,
    query: NoQuery,
    target: ofOrgParams,
    answers: { 200: jsonAnswer(Shown, 'The check, and what the last one that ended found') },
    async handle({ target: { org } }, { health }) {
      const found = await health.checks.show({ kind: 'audit', org })
      return { status: 200, json: { check: found === undefined ? null : viewCheck(found) } }
    },
  }),
  route({
    method: 'POST',
    path: auditPath,
    id: 'startAuditCheck',
    action: 'audit:read',
    tags: ['audit'],
    summary: 'Verify the audit of an organization in the background of the server',
    description: 'The same as `GET /v1/audit/verify`, whose answer takes as long as the verification.',
    params: OrgParams,
    query: NoQuery,
    target: ofOrgParams,
    answers: { 202: jsonAnswer(Shown, 'It has started') },
    async handle({ target: { org }, caller }, { health }) {
      const started = await health.checks.start(
        { kind: 'audit', org },
        { deep: false, repair: false },
        caller,
      )
      return { status: 202, json: { check: viewCheck(started) } }
    },
  }),
]
