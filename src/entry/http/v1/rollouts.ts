import * as rollouts from '../../../rollouts/index.ts'
import {
  type Api,
  Idempotent,
  OrgQuery,
  PROBLEMS,
  Repeated,
  createRoute,
  jsonAnswer,
  jsonBody,
  z,
} from '../openapi/api.ts'
import { defined } from '../kit/drop-undefined.ts'
import { unitOfSegment } from '../kit/unit-path.ts'

const tags = ['rollouts']
const query = OrgQuery
const params = z.object({ id: z.string().meta({ example: 'ro-01J9Z3K7M8Q2W5N4T6R1X0C3VB' }) })
const stepParams = params.extend({
  unit: z.string().meta({ description: 'The unit of the step: its name with "/" written "--", or its id.' }),
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
    description: 'Names of the units that the worker has; steps of others are left alone. Absent: all.',
  }),
  begin: z.boolean().default(false).meta({
    description:
      'Lock the units of steps that are sure to run and take their inputs, without another request.',
  }),
})
const RepeatableClaiming = Claiming.extend({
  request: z.string().min(16).max(100).optional().meta({
    description:
      'A random text of yours. Should no answer come, repeat the request with the same: you get the claims that it brought.',
  }),
})
const Token = z.string().meta({ description: 'Of the claim; only its holder has it.' })

const list = createRoute({
  method: 'get',
  path: '/v1/rollouts',
  tags,
  summary: 'List rollouts, newest first',
  request: {
    query: OrgQuery.extend({
      limit: z.coerce.number().int().min(1).max(100).default(20),
      cursor: z.string().optional(),
    }),
  },
  responses: {
    200: jsonAnswer(z.object({ items: z.array(Rollout), next: z.string().nullable() }), 'A page'),
    ...PROBLEMS,
  },
})

const plan = createRoute({
  method: 'get',
  path: '/v1/rollouts/plan',
  tags,
  summary: 'Show the walk that a rollout would take',
  request: {
    query: OrgQuery.extend({
      from: Repeated.meta({ description: 'Units it starts from; may be repeated. None: all units.' }),
      downstream: z.enum(['true', 'false']).default('true'),
      keys: z
        .enum(['true', 'false'])
        .default('false')
        .meta({ description: 'With the keys that workers make fingerprints with.' }),
    }),
  },
  responses: { 200: jsonAnswer(Plan, 'The walk'), ...PROBLEMS },
})

const start = createRoute({
  method: 'post',
  path: '/v1/rollouts',
  tags,
  summary: 'Start a rollout; workers carry it out',
  request: {
    headers: Idempotent,
    query,
    body: jsonBody(z.strictObject({ from: z.array(z.string()).min(1), claim: Claiming.optional() })),
  },
  responses: { 201: jsonAnswer(Started, 'Started, and what is yours of it'), ...PROBLEMS },
})

const get = createRoute({
  method: 'get',
  path: '/v1/rollouts/{id}',
  tags,
  summary: 'Show a rollout',
  request: { params, query },
  responses: { 200: jsonAnswer(Rollout, 'The rollout'), ...PROBLEMS },
})

const changes = (['pause', 'resume', 'cancel'] as const).map((what) => ({
  what,
  route: createRoute({
    method: 'post',
    path: `/v1/rollouts/{id}/${what}`,
    tags,
    summary: {
      pause: 'Begin no more steps',
      resume: 'Go on; failed steps get another try',
      cancel: 'Begin no more steps, ever; what runs ends by itself',
    }[what],
    request: { params, query, headers: Idempotent },
    responses: { 200: jsonAnswer(Rollout, 'Changed'), ...PROBLEMS },
  }),
}))

const claim = createRoute({
  method: 'post',
  path: '/v1/rollouts/{id}/claims',
  tags,
  summary: 'Claim steps that are ready',
  request: { params, query, body: jsonBody(RepeatableClaiming) },
  responses: { 200: jsonAnswer(Claims, 'What is yours until the lease ends'), ...PROBLEMS },
})

const renew = createRoute({
  method: 'post',
  path: '/v1/rollouts/{id}/renew',
  tags,
  summary: 'Keep claims for another lease',
  request: {
    params,
    query,
    body: jsonBody(z.strictObject({ tokens: z.array(Token).max(1000), leaseMs: LeaseMs })),
  },
  responses: {
    200: jsonAnswer(z.object({ lost: z.array(z.string()) }), 'Claims that others have taken over'),
    ...PROBLEMS,
  },
})

const begin = createRoute({
  method: 'post',
  path: '/v1/rollouts/{id}/steps/{unit}/begin',
  tags,
  summary: 'Lock the unit of a claimed step and take its inputs',
  request: {
    params: stepParams,
    query,
    body: jsonBody(
      z.strictObject({
        token: Token,
        leaseMs: LeaseMs,
        lock: z.boolean().default(true).meta({ description: 'False: the engine takes a lock of its own.' }),
      }),
    ),
  },
  responses: { 200: jsonAnswer(StepStart, 'Go ahead'), ...PROBLEMS },
})

const end = createRoute({
  method: 'post',
  path: '/v1/rollouts/{id}/steps/{unit}/end',
  tags,
  summary: 'End a claimed step, and claim the next ones',
  description:
    'Should no answer come, repeat it: it changes nothing then, and brings the claims that it brought.',
  request: {
    params: stepParams,
    query,
    body: jsonBody(z.strictObject({ token: Token, end: rollouts.StepEnd, next: Claiming.optional() })),
  },
  responses: { 200: jsonAnswer(Claims, 'The rollout, and what is yours next'), ...PROBLEMS },
})

const skip = createRoute({
  method: 'post',
  path: '/v1/rollouts/{id}/steps/{unit}/skip',
  tags,
  summary: 'Skip a step: its dependents go on with what stands',
  request: {
    headers: Idempotent,
    params: stepParams,
    query,
    body: jsonBody(z.strictObject({ reason: z.string().min(1).max(500) })),
  },
  responses: { 200: jsonAnswer(Rollout, 'Skipped'), ...PROBLEMS },
})

export function addRollouts(api: Api, rollouts: rollouts.Rollouts): void {
  const refOf = (from: { id: string }, { org }: { org: string }) => ({ org, id: from.id })

  api.openapi(list, async (c) => {
    const { org, ...page } = c.req.valid('query')
    const { items, next } = await rollouts.list(org, defined(page))
    return c.json({ items: [...items], next: next ?? null }, 200)
  })
  api.openapi(plan, async (c) => {
    const { org, from, ...wanted } = c.req.valid('query')
    const walk = { from: from ?? [], downstream: wanted.downstream === 'true', keys: wanted.keys === 'true' }
    return c.json(await rollouts.plan(org, walk), 200)
  })
  api.openapi(start, async (c) => {
    const options = defined(c.req.valid('json'))
    return c.json(await rollouts.start(c.req.valid('query').org, options, c.env.exchange.caller), 201)
  })
  api.openapi(get, async (c) =>
    c.json(await rollouts.get(refOf(c.req.valid('param'), c.req.valid('query'))), 200),
  )
  for (const { what, route } of changes) {
    api.openapi(route, async (c) => {
      const ref = refOf(c.req.valid('param'), c.req.valid('query'))
      return c.json(await rollouts[what](ref, c.env.exchange.caller), 200)
    })
  }
  api.openapi(claim, async (c) => {
    const ref = refOf(c.req.valid('param'), c.req.valid('query'))
    return c.json(await rollouts.claim(ref, defined(c.req.valid('json')), c.env.exchange.caller), 200)
  })
  api.openapi(renew, async (c) => {
    const ref = refOf(c.req.valid('param'), c.req.valid('query'))
    return c.json({ lost: await rollouts.renew(ref, c.req.valid('json'), c.env.exchange.caller) }, 200)
  })
  api.openapi(begin, async (c) => {
    const { unit, ...id } = c.req.valid('param')
    const ref = refOf(id, c.req.valid('query'))
    const options = c.req.valid('json')
    return c.json(await rollouts.begin(ref, unitOfSegment(unit), options, c.env.exchange.caller), 200)
  })
  api.openapi(end, async (c) => {
    const { unit, ...id } = c.req.valid('param')
    const ref = refOf(id, c.req.valid('query'))
    const { next, ...ending } = c.req.valid('json')
    const options = { ...ending, ...(next === undefined ? {} : { next: defined(next) }) }
    return c.json(await rollouts.end(ref, unitOfSegment(unit), options, c.env.exchange.caller), 200)
  })
  api.openapi(skip, async (c) => {
    const { unit, ...id } = c.req.valid('param')
    const ref = refOf(id, c.req.valid('query'))
    const { reason } = c.req.valid('json')
    return c.json(await rollouts.skip(ref, unitOfSegment(unit), reason, c.env.exchange.caller), 200)
  })
}
