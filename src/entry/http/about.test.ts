import { expect, test } from 'vitest'
import { startFace } from '../../../test/rig/http-face.ts'

test.each(['/v1/server', '/v1/openapi.json'])('%s takes no parameters, and says so', async (path) => {
  const face = await startFace()

  expect((await face.send(path)).status).toBe(200)
  const refused = await face.send(`${path}?org=acme`)
  expect(refused.json()).toMatchObject({ status: 400, code: 'BAD_REQUEST' })
  expect(refused.text).toContain('org')
})

test.each(['/healthz', '/readyz', '/metrics'])('%s takes whatever a probe adds', async (path) => {
  const face = await startFace()

  expect((await face.send(`${path}?nocache=1731661200`)).status).toBe(200)
})
