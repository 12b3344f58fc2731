import { z } from 'zod'
import { WorkloadRule, WorkloadRuleInput } from '../../../../access/index.ts'
import { isoTime } from '../../../../base/clock.ts'
import { TacoError } from '../../../../base/errors.ts'
import { deleteWorkload, storeWorkload } from '../../kit/access/workloads.ts'
import { NoQuery, jsonAnswer, jsonBody } from '../../openapi/api.ts'
import { OrgParams, ofNamedOrg, policyOf } from '../access/shared.ts'
import { route } from '../define.ts'

const tags = ['workloads']
const query = NoQuery
const RuleParams = OrgParams.extend({ rule: z.string() })

export const workloadRoutes = [
  route({
    method: 'POST',
    path: '/v1/orgs/{org}/workload-token',
    id: 'exchangeWorkloadIdentity',
    // Jobs have no other credential: this is how they get one.
    action: 'account:manage',
    openness: 'everybody',
    tags,
    summary: 'Exchange the identity token of a job for a short-lived token',
    description:
      'The identity token is an OpenID Connect token of the platform that runs the job: GitHub Actions, GitLab, Kubernetes, or any other issuer that a rule of the organization names.',
    isSecret: true,
    params: OrgParams,
    query,
    body: jsonBody(z.strictObject({ idToken: z.string().min(1) })),
    target: ofNamedOrg,
    answers: {
      201: jsonAnswer(
        z.object({
          token: z.string().meta({ description: 'taco_wl_…' }),
          expiresAt: z.iso.datetime(),
          rule: z.string().meta({ description: 'The rule that let the job in.' }),
        }),
        'Issued',
      ),
    },
    async handle({ params: { org }, body: { idToken }, x }, { exchangeWorkload }) {
      if (exchangeWorkload === undefined)
        throw new TacoError('FORBIDDEN', 'This server does not take identity tokens of jobs.', {
          hint: 'Start it with --auth sso.',
        })
      const { token, expiresAt, rule } = await exchangeWorkload({ org, idToken }, x)
      return { status: 201, json: { token, expiresAt: isoTime(expiresAt), rule } }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/orgs/{org}/workloads',
    id: 'listWorkloadRules',
    action: 'access:read',
    tags,
    summary: 'List the rules by which jobs get tokens',
    params: OrgParams,
    query,
    target: ofNamedOrg,
    answers: {
      200: jsonAnswer(z.object({ items: z.array(WorkloadRule) }), 'In the order in which they are tried'),
    },
    async handle({ target: { org }, caller }, services) {
      const { workloads } = await policyOf(services, org, caller)
      return { status: 200, json: { items: [...workloads] } }
    },
  }),
  route({
    method: 'PUT',
    path: '/v1/orgs/{org}/workloads/{rule}',
    id: 'putWorkloadRule',
    action: 'token:manage',
    tags,
    summary: 'Create or replace a rule by which jobs get tokens',
    params: RuleParams,
    query,
    body: jsonBody(WorkloadRuleInput.omit({ name: true })),
    target: ofNamedOrg,
    answers: { 200: jsonAnswer(WorkloadRule, 'Stored') },
    async handle({ target: { org }, params, body, caller }, services) {
      await policyOf(services, org, caller)
      const rule = await storeWorkload(services, org, { ...body, name: params.rule }, caller)
      return { status: 200, json: rule }
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/orgs/{org}/workloads/{rule}',
    id: 'deleteWorkloadRule',
    action: 'token:manage',
    tags,
    summary: 'Delete a rule by which jobs get tokens',
    description: 'Tokens that were issued by it stay valid for at most an hour, unless they are revoked.',
    params: RuleParams,
    query,
    target: ofNamedOrg,
    answers: { 204: { description: 'Deleted' } },
    async handle({ target: { org }, params, caller }, services) {
      await policyOf(services, org, caller)
      await deleteWorkload(services, org, params.rule, caller)
      return { status: 204 }
    },
  }),
]
