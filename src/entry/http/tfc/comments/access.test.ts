import { expect, test } from 'vitest'
import { rowsOf } from '../../../../../test/rig/players.ts'
import { newUnit, tfcCall } from '../../../../../test/rig/tfc-calls.ts'
import { commentRoutes } from './comments.ts'

/** There are no runs yet, so there is nothing to comment on: everybody is told that there is no such run. */
test('exactly those whom the table names are let in', { timeout: 60_000 }, async () => {
  const rows = await rowsOf(commentRoutes, async (face, { method, pattern }) => {
    const id = (await newUnit(face)).slice(3) + '0123456789abcdef'
    const path = pattern
      .replace('/api/v2/', '')
      .replace('{run}', `run-${id}`)
      .replace('{comment}', `wsc-${id}0123456789abcdef`)
    const data = { type: 'comments', attributes: { body: 'fine' } }
    return tfcCall(method, path, method === 'POST' ? data : undefined)
  })
  expect(rows).toEqual([
    'GET /api/v2/comments/{comment} · unit:read · 444444 44 44 44 11111',
    'GET /api/v2/runs/{run}/comments · unit:read · 444444 44 44 44 11111',
    'POST /api/v2/runs/{run}/comments · run:plan · 444444 44 44 44 11111',
  ])
})
