import { expect, test } from 'vitest'
import { startFace } from '../../../../../test/rig/http-face.ts'
import { tfcAs } from '../../../../../test/rig/tfc-calls.ts'
import { createTfcFace, secretSigner } from '../../index.ts'

const RUN = '0123456789abcdef'

/** A server that knows the run `RUN` of every unit. */
async function open() {
  const face = await startFace({
    complete: () =>
      Promise.resolve({
        runs: { has: ({ run }) => Promise.resolve(run.endsWith(RUN)) },
        moreFaces: (deps) => [createTfcFace(deps, { publicUrl: undefined, signer: secretSigner([]) })],
      }),
  })
  const headers = { 'content-type': 'application/json' }
  const made = await face.send('/v1/units', { method: 'POST', headers, body: '{"name":"vpc"}' })
  return { ask: tfcAs(face, {}), unit: String(made.json()['id']).slice(3) }
}

test('comments on a run are made, listed and shown', async () => {
  const { ask, unit } = await open()
  const path = `runs/run-${unit}${RUN}/comments`
  expect((await ask('GET', path)).all).toEqual([])
  const made = await ask('POST', path, { type: 'comments', attributes: { body: 'looks fine' } })
  expect([made.status, made.data]).toMatchObject([
    201,
    { type: 'comments', attributes: { body: 'looks fine' } },
  ])
  expect((await ask('GET', path)).all).toEqual([made.data])
  expect((await ask('GET', `comments/${made.data.id}`)).data).toEqual(made.data)
  expect((await ask('GET', `comments/${made.data.id.slice(0, -2)}xx`)).status).toBe(404)
  expect(await ask('POST', path, { type: 'comments', attributes: { body: ' ' } })).toMatchObject({
    status: 422,
    pointer: '/data/attributes/body',
  })
})

test('a run that is not there has no comments', async () => {
  const { ask, unit } = await open()
  const body = { type: 'comments', attributes: { body: 'x' } }
  for (const run of [`run-${unit}fedcba9876543210`, `run-aaaaaaaaaaaaaaaa${RUN}`, 'run-1', `ws-${unit}`]) {
    expect((await ask('GET', `runs/${run}/comments`)).status).toBe(404)
    expect((await ask('POST', `runs/${run}/comments`, body)).status).toBe(404)
  }
})
