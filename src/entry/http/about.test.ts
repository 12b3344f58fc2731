import { expect, test } from 'vitest'
import { startFace } from '../../../test/rig/http-face.ts'

test('what the server is takes no parameters, and says so', async () => {
  const face = await startFace()

  expect((await face.send('/v1/server')).status).toBe(200)
  const refused = await face.send('/v1/server?org=acme')
  expect(refused.json()).toMatchObject({ status: 400, code: 'BAD_REQUEST' })
  expect(refused.text).toContain('org')
})

test.each(['/healthz', '/readyz', '/metrics'])('%s takes whatever a probe adds', async (path) => {
  const face = await startFace()

  expect((await face.send(`${path}?nocache=1731661200`)).status).toBe(200)
})
