import { expect, test } from 'vitest'
import { cast, mark, row } from '../../../../test/rig/players.ts'
import type { SsoFace } from '../../../../test/rig/sso-face.ts'
import { signedHeaders } from '../../../../test/support/aws-signer.ts'
import { stateText } from '../../../../test/support/state.ts'
import { type SigningKey, rootSigningKey } from '../../../access/index.ts'
import { addGuard, bind } from '../../../access/organization/transitions.ts'
import { elementsIn } from './xml.ts'

/**
 * Who is let in, in the columns of route-access.test.ts. S3 knows no 401. A key of someone who may not see the unit is
 * refused like one that does not exist: `3`, because engines take 404 as "there is no state yet". The tables of the
 * http backend and this one must agree.
 */
const table: readonly (readonly [string, string, string])[] = [
  ['list', 'GET /s3/default', '++++++ ++ ++ 44 33333'],
  ['read a state', 'GET /s3/default/{unit}/terraform.tfstate', '+++++3 ++ ++ 33 33333'],
  ['write a state', 'PUT /s3/default/{unit}/terraform.tfstate', '33+++3 +3 ++ 33 33333'],
  ['delete a state', 'DELETE /s3/default/{unit}/terraform.tfstate', '333++3 33 ++ 33 33333'],
  ['write a new state', 'PUT /s3/default/{new}/terraform.tfstate', '33+++3 +3 ++ 33 33333'],
  ['lock', 'PUT /s3/default/{unit}/terraform.tfstate.tflock', '3++++3 +3 ++ 33 33333'],
  ['read a lock', 'GET /s3/default/{unit}/terraform.tfstate.tflock', '344443 43 44 33 33333'],
  ['unlock', 'DELETE /s3/default/{unit}/terraform.tfstate.tflock', '3++++3 +3 ++ 33 33333'],
]

async function makeUnit({ send, root }: SsoFace, unit: string): Promise<void> {
  const { status } = await send(`/v1/backend/default/${unit}`, {
    method: 'POST',
    body: stateText(1),
    headers: root,
  })
  expect(status).toBe(200)
}

test('keys let in exactly those whom the table names', { timeout: 120_000 }, async () => {
  const { face, players } = await cast()
  const host = `127.0.0.1:${face.port}`
  const found: string[][] = []
  for (const [what, address] of table) {
    const marks: string[] = []
    for (const { credential } of players) {
      const unit = face.fresh('unit')
      await makeUnit(face, unit)
      const [method = '', pattern = ''] = address.split(' ')
      const path = pattern.replace('{unit}', unit).replace('{new}', face.fresh('new'))
      const body = method !== 'PUT' ? '' : path.endsWith('.tflock') ? '{"ID":"x"}' : stateText(2)
      const key = keyOf(credential['authorization'])
      const headers = key === undefined ? credential : await signedHeaders(key, { method, path, body, host })
      marks.push(mark((await face.send(path, { method, body, headers })).status))
    }
    found.push([what, address, row(marks)])
  }
  expect(found).toEqual(table)

  function keyOf(header: string | undefined): SigningKey | undefined {
    const token = header?.replace('Bearer ', '')
    const [, id] = /^taco_[a-z]+_([0-9A-Za-z]{16})\./.exec(token ?? '') ?? []
    if (id !== undefined) return face.signIn.tokens.signingKey(`at-${id}`)
    return token === undefined ? undefined : rootSigningKey(token)
  }
})

test('a hidden state and one that does not exist are refused in the same words', async () => {
  const { face, players } = await cast()
  const host = `127.0.0.1:${face.port}`
  await makeUnit(face, 'hidden')
  const [, id] = /_([0-9A-Za-z]{16})\./.exec(players[10]?.credential['authorization'] ?? '') ?? []
  const key = face.signIn.tokens.signingKey(`at-${id}`)

  const answers: string[] = []
  for (const [org, unit] of [
    ['default', 'hidden'],
    ['default', 'absent'],
    ['absent', 'absent'],
  ] as const) {
    const path = `/s3/${org}/${unit}/terraform.tfstate`
    const { status, text } = await face.send(path, {
      headers: await signedHeaders(key, { method: 'GET', path, host }),
    })
    answers.push(
      `${status} ${text.replaceAll(`/${org}/${unit}/`, '/').replace(/<RequestId>.*<\/RequestId>/, '')}`,
    )
  }

  expect(new Set(answers).size).toBe(1)
  expect(answers[0]).toContain('AccessDenied')
})

test('a list has the states that the caller may see, and no others', async () => {
  const { face } = await cast()
  for (const unit of ['dev/a', 'prod/a']) await makeUnit(face, unit)
  const { id, token } = await face.person('developer')
  await face.policy('default', (all) => bind(all, { role: 'reader', to: `user:${id}`, units: ['dev/**'] }))
  const [, tokenId] = /_([0-9A-Za-z]{16})\./.exec(token['authorization'] ?? '') ?? []
  const key = face.signIn.tokens.signingKey(`at-${tokenId}`)
  const request = { method: 'GET', path: '/s3/default', query: { 'list-type': '2' } }
  const headers = await signedHeaders(key, { ...request, host: `127.0.0.1:${face.port}` })

  const { text } = await face.send('/s3/default?list-type=2', { headers })

  expect(elementsIn(text, 'Key')).toEqual(['dev/a/terraform.tfstate'])
})

test('a guarded unit is written by runs alone, and the refusal names its key', async () => {
  const { face, owner } = await cast()
  await makeUnit(face, 'guarded')
  await face.policy('default', (all) =>
    addGuard(all, { id: face.id('guard'), units: ['guarded'], at: 1, by: 'x' }),
  )
  const [, id] = /_([0-9A-Za-z]{16})\./.exec(owner.token['authorization'] ?? '') ?? []
  const path = '/s3/default/guarded/terraform.tfstate'
  const request = { method: 'PUT', path, body: stateText(2), host: `127.0.0.1:${face.port}` }
  const headers = await signedHeaders(face.signIn.tokens.signingKey(`at-${id}`), request)

  const { status, text } = await face.send(path, { ...request, headers })

  expect(status).toBe(403)
  expect(text).toContain('Only runs may change the state of guarded/terraform.tfstate')
})
