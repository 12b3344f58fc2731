import { expect, test } from 'vitest'
import { startFace } from '../../../../../test/rig/http-face.ts'
import { stateText } from '../../../../../test/support/state.ts'
import { systemClock } from '../../../../base/clock.ts'
import { type Guard, openGuard, tokenGuard } from '../../auth/auth.ts'

const token = 'the-root-token-of-this-test-0123456789'
const info = { ID: 'l1', Operation: 'OperationTypeApply', Who: 'alice@laptop' }

test.each<[string, Guard, string]>([
  ['without authentication', openGuard(), 'anonymous'],
  ['with the root token', tokenGuard({ token, clock: systemClock }), 'token:root'],
])(
  '%s, history and events name the caller, and beside it who the engine says it is',
  async (_, guard, by) => {
    const face = await startFace({ guard })
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const send = (method: string, query = '', body = JSON.stringify(info)) =>
      face.send(`/v1/backend/default/app${query}`, { method, headers, body })
    await send('LOCK')
    await send('POST', '?ID=l1', stateText(1))
    await send('UNLOCK')
    const itemsOf = async (path: string) =>
      (await face.send(path, { headers })).json()['items'] as readonly Record<string, unknown>[]

    const author = { by, who: 'alice@laptop' }
    expect(await itemsOf('/v1/units/app/versions')).toMatchObject([author])
    expect(await itemsOf('/v1/units')).toMatchObject([{ createdBy: by, createdWho: 'alice@laptop' }])
    await expect
      .poll(async () =>
        (await itemsOf('/v1/events?unit=app')).map((one) => [one['type'], one['by'], one['who']]),
      )
      .toEqual(
        ['unit.created', 'lock.taken', 'state.written', 'lock.released'].map((type) => [
          type,
          by,
          'alice@laptop',
        ]),
      )
  },
)

test('whoever breaks a lock is not taken for its holder', async () => {
  const face = await startFace({})
  const send = (method: string, body: string) => face.send('/v1/backend/default/app', { method, body })
  await send('LOCK', JSON.stringify(info))
  await send('UNLOCK', '')
  const events = async () =>
    (await face.send('/v1/events?unit=app&type=lock.forced')).json()['items'] as readonly object[]

  await expect.poll(events).toMatchObject([{ by: 'anonymous', who: null }])
})
