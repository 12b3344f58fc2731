import { z } from 'zod'
import type { Comment } from '../../../../governance/index.ts'
import { idBelow, partsOf } from '../ids.ts'
import { resource } from '../kit/body.ts'
import { type TfcServices, documented, route } from '../kit/define.ts'
import { notFound } from '../kit/errors.ts'
import { type ResourceObject, document } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'

const tags = ['terraform cloud']
const RunParams = z.object({ run: z.string() })
const params = z.object({ comment: z.string() })
const RUN_LENGTH = 16

interface Of {
  readonly org: string
  readonly unit: string
  /** Its own part of the id. */
  readonly run: string
}

async function ofRun(
  { params: { run } }: { readonly params: z.infer<typeof RunParams> },
  { locator, runs }: Pick<TfcServices, 'locator' | 'runs'>,
): Promise<Of> {
  const parts = partsOf('run', run)
  if (parts === undefined) throw notFound()
  const of = { ...(await locator.workspace(parts.unit)), run: parts.own }
  if (!(await runs.has({ ...of, run }))) throw notFound()
  return of
}

/** The id of a comment consists of those of the unit, of the run and its own. */
async function ofComment(
  { params: { comment } }: { readonly params: z.infer<typeof params> },
  { locator, governance }: Pick<TfcServices, 'locator' | 'governance'>,
): Promise<Of & { readonly comment: Comment }> {
  const parts = partsOf('wsc', comment)
  if (parts === undefined) throw notFound()
  const of = { ...(await locator.workspace(parts.unit)), run: parts.own.slice(0, RUN_LENGTH) }
  const found = await governance.comments.find(placeOf(of), `wsc-${parts.own.slice(RUN_LENGTH)}`)
  if (found === undefined) throw notFound()
  return { ...of, comment: found }
}

function placeOf({ org, run }: Of) {
  return { org, of: `run-${run}` }
}

function view({ unit, run }: Of, { id, body }: Comment): ResourceObject {
  const shown = idBelow('wsc', unit, `${run}${id.slice('wsc-'.length)}`)
  return { id: shown, type: 'comments', attributes: { body }, links: { self: `/api/v2/comments/${shown}` } }
}

export const commentRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/runs/{run}/comments',
    id: 'tfcListComments',
    action: 'unit:read',
    tags,
    summary: 'List the comments on a run',
    params: RunParams,
    query: z.object(paging),
    target: ofRun,
    answers: { 200: documented('The comments') },
    async handle({ target, query, x }, { governance }) {
      const page = paged(await governance.comments.list(placeOf(target)), query, x)
      return { status: 200, ...listed({ ...page, items: page.items.map((one) => view(target, one)) }) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/v2/runs/{run}/comments',
    id: 'tfcCreateComment',
    action: 'run:plan',
    tags,
    summary: 'Comment on a run',
    params: RunParams,
    body: resource('comments', { attributes: { body: z.string().trim().min(1).max(10_000) } }),
    target: ofRun,
    answers: { 201: documented('The comment') },
    async handle({ target, body: { attributes }, caller }, { governance, control }) {
      const { id, name } = await control.units.get(target, caller)
      const place = { ...placeOf(target), unit: { id, name } }
      return {
        status: 201,
        ...document(view(target, await governance.comments.create(place, attributes, caller))),
      }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/comments/{comment}',
    id: 'tfcShowComment',
    action: 'unit:read',
    tags,
    summary: 'Show a comment',
    params,
    target: ofComment,
    answers: { 200: documented('The comment') },
    handle: ({ target }) => ({ status: 200 as const, ...document(view(target, target.comment)) }),
  }),
]
