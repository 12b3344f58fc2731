import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startSsoFace } from '../../../../test/rig/sso-face.ts'
import { TFC_FAMILIES } from './face.ts'

test('every family of routes has a table of who is let in', () => {
  for (const family of Object.keys(TFC_FAMILIES))
    expect([family, existsSync(new URL(`./${family}/access.test.ts`, import.meta.url))]).toEqual([
      family,
      true,
    ])
})

test('clients learn from headers what the server can do', async () => {
  const { send } = await startSsoFace()
  expect((await send('/api/v2/ping')).headers).toMatchObject({
    'tfp-api-version': '2.6',
    'tfp-appname': 'Terraform Enterprise',
    // In another form, plans with structured output fail.
    'x-tfe-version': expect.stringMatching(/^v\d{6}-\d$/) as string,
  })
})

test('a path that no route has is a JSON:API error', async () => {
  const { send, root } = await startSsoFace()
  const answer = await send('/api/v2/nothing-like-this', { headers: root })
  expect([answer.status, answer.headers['content-type']]).toEqual([404, 'application/vnd.api+json'])
  expect(answer.json()).toMatchObject({ errors: [{ status: '404', title: 'not found' }] })
  expect((await send('/api/v2/nothing-like-this')).status).toBe(401)
})
