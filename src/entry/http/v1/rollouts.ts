import { z } from 'zod'
import type { Caller } from '../../../access/index.ts'
import * as rollouts from '../../../rollouts/index.ts'
import { Flag, Idempotent, OrgQuery, Repeated, jsonAnswer, jsonBody } from '../openapi/api.ts'
import { isoTime } from '../../../base/clock.ts'
import { nameFromFlat } from '../../../state/index.ts'
import { IssuedRunToken, TtlMs } from './run-tokens.ts'
import { defined } from '../kit/drop-undefined.ts'
import type { HttpDeps } from '../deps.ts'
import { ofOrg, ofUnit, route } from './define.ts'
import {
  checkNames,
  checkStart,
  checkVisibleRollout,
  checkWalk,
  isVisibleRollout,
  workableUnits,
} from '../kit/visible-rollouts.ts'

const tags = ['rollouts']
const query = OrgQuery
const params = z.object({ id: z.string().meta({ example: 'ro-01J9Z3K7M8Q2W5N4T6R1X0C3VB' }) })
const stepParams = params.extend({
  unit: z
    .string()
    .transform(nameFromFlat)
    .meta({ description: 'The unit of the step: its name with "/" written "--", or its id.' }),
})

const Rollout = rollouts.RolloutView.meta({ id: 'Rollout' })
const Plan = rollouts.RolloutPlan.meta({ id: 'RolloutPlan' })
const Claims = rollouts.Claims.meta({ id: 'RolloutClaims' })
const Started = rollouts.StartedRollout.meta({ id: 'StartedRollout' })
const StepStart = rollouts.StepStart.meta({ id: 'RolloutStepStart' })
const LeaseMs = z.number().int().min(100).max(3_600_000).default(30_000)
const Claiming = z.strictObject({
  worker: z.string().min(1).max(200).meta({ description: 'Shown to others: alice@laptop.' }),
  most: z.number().int().min(0).max(1000).default(1),
  leaseMs: LeaseMs,
  units: z.array(z.string()).max(20_000).optional().meta({
    description: 'Names of the units that the worker can run. Absent: all.',
  }),
  begin: z.boolean().default(false).meta({
    description: 'Also begin the steps that are certain to run: lock their units and get their inputs.',
  }),
})
const RepeatableClaiming = Claiming.extend({
  request: z.string().min(16).max(100).optional().meta({
    description:
      'A random text. If no answer arrives, repeat the request with the same text to get the same claims.',
  }),
})

/** A claim of no other steps than those that the caller may work on. */
async function onlyOwn<T extends { readonly units?: readonly string[] | undefined }>(
  claim: T,
  org: string,
  services: Pick<HttpDeps, 'control'>,
  caller: Caller,
) {
  return defined({ ...claim, units: await workableUnits(services, org, claim.units, caller) })
}

const Token = z.string().meta({ description: 'Token of the claim; only its holder knows it.' })

export const rolloutRoutes = [
  route({
    method: 'GET',
    path: '/v1/rollouts',
    id: 'listRollouts',
    action: 'rollout:read',
    isFiltered: true,
    tags,
    summary: 'List rollouts, newest first',
    query: OrgQuery.extend({
      limit: z.coerce.number().int().min(1).max(100).default(20),
      cursor: z.string().optional(),
    }),
    answers: {
      200: jsonAnswer(z.object({ items: z.array(Rollout), next: z.string().nullable() }), 'A page'),
    },
    target: ofOrg,
    async handle({ query: { org, ...page }, caller }, services) {
      const { items, next } = await services.rollouts.list(org, defined(page), caller)
      const visible = await services.control.units.visible(org, caller)
      const shown = items.filter((one) => isVisibleRollout(one, visible))
      return { status: 200, json: { items: shown, next: next ?? null } }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/rollouts/plan',
    id: 'planRollout',
    action: 'rollout:read',
    isFiltered: true,
    tags,
    summary: 'Show the steps that a rollout would have',
    query: OrgQuery.extend({
      from: Repeated.meta({ description: 'Units to start from; may be repeated. Absent: all units.' }),
      downstream: z.enum(['true', 'false']).default('true'),
      keys: Flag.meta({ description: 'Include the keys for fingerprints.' }),
    }),
    answers: { 200: jsonAnswer(Plan, 'The steps') },
    target: ofOrg,
    also: ({ query, target }) => (query.keys ? [{ action: 'rollout:work', resource: target }] : []),
    isSecret: true,
    async handle({ query: { org, from, downstream, keys }, caller }, services) {
      const walk = { from: from ?? [], downstream: downstream === 'true', keys }
      await checkNames(services, { org, from: walk.from }, caller)
      const plan = await services.rollouts.plan(org, walk, caller)
      await checkWalk(services, { org, ...plan }, 'rollout:read', caller)
      return { status: 200, json: plan }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/rollouts',
    id: 'startRollout',
    action: 'rollout:start',
    isFiltered: true,
    tags,
    summary: 'Create a rollout; workers run it',
    headers: Idempotent,
    query,
    body: jsonBody(z.strictObject({ from: z.array(z.string()).min(1), claim: Claiming.optional() })),
    answers: { 201: jsonAnswer(Started, 'The rollout, and the steps claimed') },
    target: ofOrg,
    also: ({ body, target }) =>
      body.claim === undefined ? [] : [{ action: 'rollout:work', resource: target }],
    async handle({ target: { org }, body, caller }, services) {
      await checkStart(services, { org, from: body.from }, caller)
      const claim = body.claim && (await onlyOwn(body.claim, org, services, caller))
      return { status: 201, json: await services.rollouts.start(org, defined({ ...body, claim }), caller) }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/rollouts/{id}',
    id: 'getRollout',
    action: 'rollout:read',
    isFiltered: true,
    tags,
    summary: 'Show a rollout',
    params,
    query,
    answers: { 200: jsonAnswer(Rollout, 'The rollout') },
    target: ofOrg,
    async handle({ params: { id }, target, caller }, services) {
      const rollout = await services.rollouts.get({ ...target, id }, caller)
      if (isVisibleRollout(rollout, await services.control.units.visible(target.org, caller)))
        return { status: 200, json: rollout }
      throw rollouts.noSuchRollout(id)
    },
  }),
  ...(['pause', 'resume', 'cancel'] as const).map((what) =>
    route({
      method: 'POST',
      path: `/v1/rollouts/{id}/${what}`,
      id: `${what}Rollout`,
      action: 'rollout:control',
      tags,
      summary: {
        pause: 'Start no new steps',
        resume: 'Continue; failed steps are retried',
        cancel: 'Cancel for good; running steps finish',
      }[what],
      headers: Idempotent,
      params,
      query,
      target: ofOrg,
      answers: { 200: jsonAnswer(Rollout, 'Changed') },
      async handle({ params: { id }, target, caller }, services) {
        await checkVisibleRollout(services, { ...target, id }, caller, 'rollout:control')
        return { status: 200, json: await services.rollouts[what]({ ...target, id }, caller) }
      },
    }),
  ),
  route({
    method: 'POST',
    path: '/v1/rollouts/{id}/claims',
    id: 'claimSteps',
    audit: 'counted',
    action: 'rollout:work',
    tags,
    summary: 'Claim steps that are ready',
    params,
    query,
    body: jsonBody(RepeatableClaiming),
    answers: { 200: jsonAnswer(Claims, 'The steps claimed until the lease ends') },
    target: ofOrg,
    async handle({ params: { id }, target, body, caller }, services) {
      await checkVisibleRollout(services, { ...target, id }, caller)
      const claim = await onlyOwn(body, target.org, services, caller)
      return { status: 200, json: await services.rollouts.claim({ ...target, id }, claim, caller) }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/rollouts/{id}/renew',
    id: 'renewClaims',
    audit: 'counted',
    action: 'rollout:work',
    tags,
    summary: 'Renew claims',
    params,
    query,
    body: jsonBody(z.strictObject({ tokens: z.array(Token).max(1000), leaseMs: LeaseMs })),
    answers: {
      200: jsonAnswer(z.object({ lost: z.array(z.string()) }), 'Claims that other workers have taken over'),
    },
    target: ofOrg,
    handle: async ({ params: { id }, target, body, caller }, services) => ({
      status: 200,
      json: { lost: await services.rollouts.renew({ ...target, id }, body, caller) },
    }),
  }),
  route({
    method: 'POST',
    path: '/v1/rollouts/{id}/steps/{unit}/begin',
    id: 'beginStep',
    audit: 'counted',
    action: 'rollout:work',
    tags,
    summary: 'Lock the unit of a claimed step and get its inputs',
    params: stepParams,
    query,
    body: jsonBody(
      z.strictObject({
        token: Token,
        leaseMs: LeaseMs,
        lock: z.boolean().default(true).meta({ description: 'False: the engine acquires the lock itself.' }),
      }),
    ),
    answers: { 200: jsonAnswer(StepStart, 'Begun') },
    target: ofUnit,
    async handle({ params: { id }, target: { org, unit }, body, caller }, services) {
      await checkVisibleRollout(services, { org, id }, caller)
      return { status: 200, json: await services.rollouts.begin({ org, id }, unit, body, caller) }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/rollouts/{id}/steps/{unit}/run-token',
    id: 'issueStepToken',
    audit: 'counted',
    action: 'rollout:work',
    tags,
    summary: 'Issue a run token for a claimed step',
    description: 'Also for a guarded unit: a rollout is a run. Renew and revoke it like any run token.',
    params: stepParams,
    query,
    body: jsonBody(z.strictObject({ token: Token, ttlMs: TtlMs })),
    answers: { 201: jsonAnswer(IssuedRunToken, 'Issued') },
    target: ofUnit,
    async handle({ params: { id }, target: { org, unit: named }, body, caller }, services) {
      await checkVisibleRollout(services, { org, id }, caller)
      const unit = await services.rollouts.claimed({ org, id }, named, body.token, caller)
      const issued = await services.control.runTokens.issue({ org, unit }, body, caller)
      const { expiresAt, ...rest } = issued
      return { status: 201, json: { ...rest, unit, expiresAt: isoTime(expiresAt) } }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/rollouts/{id}/steps/{unit}/end',
    id: 'endStep',
    action: 'rollout:work',
    tags,
    summary: 'End a claimed step, and claim the next ones',
    description: 'If no answer arrives, repeat the request: it changes nothing and returns the same claims.',
    params: stepParams,
    query,
    body: jsonBody(z.strictObject({ token: Token, end: rollouts.StepEnd, next: Claiming.optional() })),
    answers: { 200: jsonAnswer(Claims, 'The rollout, and the next steps claimed') },
    target: ofUnit,
    async handle({ params: { id }, target: { org, unit }, body, caller }, services) {
      await checkVisibleRollout(services, { org, id }, caller)
      const { next, ...ending } = body
      const options = defined({ ...ending, next: next && (await onlyOwn(next, org, services, caller)) })
      return { status: 200, json: await services.rollouts.end({ org, id }, unit, options, caller) }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/rollouts/{id}/steps/{unit}/skip',
    id: 'skipStep',
    action: 'rollout:control',
    tags,
    summary: 'Skip a step; dependents use the current outputs',
    headers: Idempotent,
    params: stepParams,
    query,
    body: jsonBody(z.strictObject({ reason: z.string().min(1).max(500) })),
    answers: { 200: jsonAnswer(Rollout, 'Skipped') },
    target: ofUnit,
    async handle({ params: { id }, target: { org, unit }, body, caller }, services) {
      await checkVisibleRollout(services, { org, id }, caller)
      return { status: 200, json: await services.rollouts.skip({ org, id }, unit, body.reason, caller) }
    },
  }),
]
