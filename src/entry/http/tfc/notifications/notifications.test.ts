import { expect, test } from 'vitest'
import { startHookReceiver } from '../../../../../test/peers/hook-receiver.ts'
import { startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { linkTo, linksTo, newUnit, tfcAs, newTeam } from '../../../../../test/rig/tfc-calls.ts'
import { bind } from '../../../../access/organization/transitions.ts'
import { defaultProjectId } from '../../../../projects/index.ts'

const type = 'notification-configurations'
const disabled = {
  type,
  attributes: {
    name: 'hook',
    enabled: false,
    'destination-type': 'generic',
    url: 'https://hooks.example.com/services/secret',
    triggers: ['run:completed', 'some:later'],
  },
}

async function open() {
  const face = await startSsoFace()
  const unit = await newUnit(face)
  return { face, unit, of: `workspaces/${unit}/notification-configurations`, ask: tfcAs(face, face.root) }
}

test('notifications are created, shown, changed, listed and deleted', async () => {
  const { ask, of, unit } = await open()

  const made = await ask('POST', of, disabled)
  expect([made.status, made.data]).toMatchObject([
    201,
    {
      type,
      attributes: { ...disabled.attributes, token: null, 'email-addresses': [], 'delivery-responses': [] },
      relationships: { subscribable: linkTo('workspaces', unit), users: { data: [] } },
    },
  ])
  const path = `notification-configurations/${made.data.id}`
  expect((await ask('GET', path)).data).toEqual(made.data)
  const changed = await ask('PATCH', path, {
    type,
    attributes: { name: 'n', triggers: ['run:errored'], enabled: null },
  })
  expect([changed.status, changed.data.attributes]).toMatchObject([
    200,
    { name: 'n', triggers: ['run:errored'], enabled: false, url: disabled.attributes.url },
  ])
  await ask('POST', of, disabled)
  const page = await ask('GET', `${of}?page%5Bsize%5D=1&page%5Bnumber%5D=2`)
  expect([page.all.length, page.json['meta']]).toMatchObject([1, { pagination: { 'total-count': 2 } }])
  expect((await ask('DELETE', path)).status).toBe(204)
  expect((await ask('GET', path)).status).toBe(404)
})

test('what is enabled is verified, and a token signs it and is never shown', async () => {
  const { ask, of } = await open()
  const receiver = await startHookReceiver()
  const attributes = { ...disabled.attributes, url: receiver.url, enabled: true, token: 'very secret' }

  const made = await ask('POST', of, { type, attributes })
  expect([made.status, JSON.stringify(made.json)]).toEqual([201, expect.not.stringContaining('very secret')])
  expect(made.data.attributes['delivery-responses']).toEqual([
    {
      url: receiver.url,
      code: '200',
      body: 'ok',
      successful: 'true',
      'sent-at': expect.stringMatching(/Z$/),
      headers: null,
    },
  ])
  expect(receiver.got[0]?.headers['x-tfe-notification-signature']).toMatch(/^[0-9a-f]{128}$/)
  const path = `notification-configurations/${made.data.id}/actions/verify`
  const verified = await ask('POST', path)
  expect([verified.status, verified.data.attributes['delivery-responses']]).toMatchObject([200, [{}, {}]])
  receiver.answer.status = 404
  const refused = await ask('POST', path)
  expect([refused.status, refused.pointer]).toEqual([422, '/data/attributes/url'])
  const again = await ask('POST', of, { type, attributes })
  expect([again.status, again.pointer]).toEqual([422, '/data/attributes/url'])
})

test('e-mail has addresses and people instead of a URL', async () => {
  const { ask, of, face } = await open()
  const { id } = await face.person('alice')
  const made = await ask('POST', of, {
    type,
    attributes: {
      name: 'm',
      enabled: false,
      'destination-type': 'email',
      'email-addresses': ['a@example.com'],
    },
    relationships: { users: linksTo('users', id) },
  })
  expect(made.data).toMatchObject({
    attributes: { 'email-addresses': ['a@example.com'], url: null, triggers: [] },
    relationships: { users: linksTo('users', id) },
  })
  const cleared = await ask('PATCH', `notification-configurations/${made.data.id}`, {
    type,
    relationships: { users: linksTo('users') },
  })
  expect(cleared.data.relationships['users']).toEqual({ data: [] })
})

test('the URL, which may be a secret, is masked for those who may not change it', async () => {
  const { face, ask, of } = await open()
  const { id } = (await ask('POST', of, disabled)).data
  const person = await face.person('bob')
  await face.policy('default', (all) => bind(all, { role: 'reader', to: `user:${person.id}` }))
  const shown = await tfcAs(face, person.token)('GET', of)
  expect([shown.status, shown.all[0]?.attributes['url']]).toEqual([200, 'https://hooks.example.com/…'])
  for (const path of ['notifications', `notifications/${id}`]) {
    const answer = await face.send(`/v1/orgs/default/${path}`, { headers: person.token })
    expect([answer.status, answer.text.includes('services/secret')]).toEqual([200, false])
    expect(answer.text).toContain('https://hooks.example.com/…')
  }
  const own = await face.send(`/v1/orgs/default/notifications/${id}`, { headers: face.root })
  expect(own.text).toContain('services/secret')
})

test('teams and projects have notifications of their own', async () => {
  const { face, ask, of } = await open()
  const team = await newTeam(face)
  const made = await ask('POST', `teams/${team}/notification-configurations`, disabled)
  expect(made.data.relationships['subscribable']).toEqual(linkTo('teams', team))
  expect((await ask('GET', `teams/${team}/notification-configurations`)).all).toEqual([made.data])
  expect((await ask('GET', of)).all).toEqual([])
  expect((await ask('GET', 'teams/team-1111111111111111/notification-configurations')).status).toBe(404)
})

test('what is wrong is refused with a pointer', async () => {
  const { ask, of } = await open()
  const { url: _, ...without } = disabled.attributes
  for (const [attributes, attribute] of [
    [{ ...disabled.attributes, name: undefined }, 'name'],
    [{ ...disabled.attributes, enabled: 'yes' }, 'enabled'],
    [{ ...disabled.attributes, 'destination-type': 'pigeon' }, 'destination-type'],
    [{ ...disabled.attributes, triggers: ['completed'] }, 'triggers'],
    [without, 'url'],
    [{ ...disabled.attributes, url: 'ftp://example.com' }, 'url'],
    [{ ...disabled.attributes, 'destination-type': 'slack', token: 't' }, 'token'],
    [{ ...without, 'destination-type': 'email', 'email-addresses': ['nobody'] }, 'email-addresses'],
  ] as const) {
    const refused = await ask('POST', of, { type, attributes })
    expect([refused.status, refused.pointer], JSON.stringify(refused.json)).toEqual([
      422,
      `/data/attributes/${attribute}`,
    ])
  }
})

test('who may manage one unit manages the notifications of that unit alone', async () => {
  const { face, ask, of } = await open()
  const other = await newUnit(face, 'other')
  const ofOther = await ask('POST', `workspaces/${other}/notification-configurations`, disabled)
  const person = await face.person('alice')
  const { name } = (await face.send(`/v1/units/${of.split('/')[1]}`, { headers: face.root })).json()
  await face.policy('default', (all) =>
    bind(all, { role: 'admin', to: `user:${person.id}`, units: [String(name)] }),
  )
  const asAlice = tfcAs(face, person.token)
  expect((await asAlice('POST', of, disabled)).status).toBe(201)
  expect((await asAlice('GET', `notification-configurations/${ofOther.data.id}`)).status).toBe(404)
  expect(
    (await asAlice('POST', `projects/${defaultProjectId('default')}/notification-configurations`, disabled))
      .status,
  ).toBe(403)
})
