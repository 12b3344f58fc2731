import { expect, test } from 'vitest'
import { startFace } from '../../../../../test/rig/http-face.ts'

test('every documented path answers 405 with Allow to the methods that it does not have', async () => {
  const face = await startFace()
  const { paths } = (await face.send('/v1/openapi.json')).json() as {
    paths: Record<string, Record<string, Record<string, unknown>>>
  }

  for (const [template, item] of Object.entries(paths)) {
    const path = template.replace('{org}', 'default').replace(/\{\w+\}/g, 'x')
    const more = Object.keys(item['x-additionalOperations'] ?? {})
    const documented = Object.keys(item).filter((name) => !name.startsWith('x-') && name !== 'description')
    const known = [...documented.map((name) => name.toUpperCase()), ...more]
    if (known.includes('GET')) known.push('HEAD')
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'LOCK']) {
      if (known.includes(method)) continue
      const refused = await face.send(path, { method })
      expect([method, path, refused.status]).toEqual([method, path, 405])
      expect(String(refused.headers['allow']).split(', ').toSorted()).toEqual(known.toSorted())
      expect(Object.keys(refused.headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
  }
})

test('an address that is not known stays 404, whatever the method', async () => {
  const face = await startFace()

  for (const method of ['GET', 'OPTIONS', 'DELETE'])
    expect((await face.send('/v1/nothing', { method })).status).toBe(404)
})
