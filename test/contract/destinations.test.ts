import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { deniedAddresses } from '../../src/notifications/adapters/denied-addresses.ts'
import { createEmail } from '../../src/notifications/adapters/email.ts'
import { createGeneric } from '../../src/notifications/adapters/generic.ts'
import { createMicrosoftTeams } from '../../src/notifications/adapters/microsoft-teams.ts'
import { type PostJson, createPostJson } from '../../src/notifications/adapters/post-json.ts'
import { createSlack } from '../../src/notifications/adapters/slack.ts'
import type { Destination } from '../../src/notifications/index.ts'
import { startHookReceiver } from '../peers/hook-receiver.ts'
import { startMailSink } from '../peers/mail-sink.ts'
import { notice } from '../support/notices.ts'
import { destinationContract } from './destination.ts'

const never = new AbortController().signal
/** Only where nothing answers: a busy machine may take long for anything else. */
const SHORT = { timeoutMs: 300 }
const post = (deny: readonly string[] = [], patience = {}) =>
  createPostJson({ denied: deniedAddresses(deny), ...patience })

const webhook = (create: (by: PostJson) => Destination) => async (at?: { readonly port: number }) => {
  const receiver = await startHookReceiver()
  const url = at === undefined ? receiver.url : `http://127.0.0.1:${at.port}/`
  return {
    destination: create(post([], at && SHORT)),
    to: { url, token: undefined, emails: [] },
    got: () => receiver.got.map(({ body }) => body),
    refuse: (body: string) => Object.assign(receiver.answer, { status: 503, body }),
  }
}

describe('a generic webhook', () => {
  destinationContract(webhook(createGeneric))

  test('has the fields of Terraform Cloud, and is signed with the token', async () => {
    const receiver = await startHookReceiver()
    const token = 'kéy'
    await createGeneric(post()).send({ url: receiver.url, token, emails: [] }, notice, never)
    const [got] = receiver.got
    expect(got?.json()).toEqual({
      payload_version: 1,
      notification_configuration_id: 'nc-1',
      run_url: notice.link,
      run_id: null,
      run_message: notice.message,
      run_created_at: '2026-01-02T03:04:05.000Z',
      run_created_by: 'user:alice',
      workspace_id: 'ws-1',
      workspace_name: 'prod--vpc',
      organization_name: 'acme',
      notifications: [
        {
          message: notice.message,
          trigger: 'lock:held',
          run_status: null,
          run_updated_at: '2026-01-02T03:04:05.000Z',
          run_updated_by: 'user:alice',
        },
      ],
      event: notice.event,
    })
    const hmac = createHmac('sha512', token).update(got?.body ?? '')
    expect(got?.headers['x-tfe-notification-signature']).toBe(hmac.digest('hex'))
  })

  test('a redirect is not followed, and what it answers is cut and without cookies', async () => {
    const [from, to] = [await startHookReceiver(), await startHookReceiver()]
    Object.assign(from.answer, {
      status: 307,
      headers: { location: to.url, 'set-cookie': 'secret=1' },
      body: 'x'.repeat(100_000),
    })
    const sent = await createGeneric(post()).send(
      { url: from.url, token: undefined, emails: [] },
      notice,
      never,
    )
    expect([sent.isSuccessful, sent.code, sent.body.length, to.got]).toEqual([false, '307', 1_000, []])
    expect(Object.keys(sent.headers)).not.toContain('set-cookie')
  })

  test.each(['127.0.0.0/8', '127.0.0.1'])('%s can be closed, whatever name leads there', async (network) => {
    const receiver = await startHookReceiver()
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433']) {
      const url = `http://${host}:${receiver.port}/`
      const destination = createGeneric(post([network, '::1/128']))
      const sent = await destination.send({ url, token: undefined, emails: [] }, notice, never)
      expect([host, sent.code, sent.isSuccessful]).toEqual([host, 'EDENIED', false])
    }
    expect(receiver.got).toEqual([])
  })
})

describe('Slack', () => {
  destinationContract(webhook(createSlack))

  test('what Slack reads as markup is escaped', async () => {
    const receiver = await startHookReceiver()
    const to = { url: receiver.url, token: undefined, emails: [] }
    await createSlack(post()).send(to, { ...notice, message: '<!channel> & more' }, never)
    expect(receiver.got[0]?.json()['blocks']).toMatchObject([
      { text: { type: 'mrkdwn', text: '&lt;!channel&gt; &amp; more' } },
      {},
    ])
    expect(receiver.got[0]?.json()['text']).toBe('&lt;!channel&gt; &amp; more')
  })
})

describe('Microsoft Teams', () => {
  destinationContract(webhook(createMicrosoftTeams))

  test('a 200 whose body is an error is none', async () => {
    const receiver = await startHookReceiver()
    receiver.answer.body =
      'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429'
    const to = { url: receiver.url, token: undefined, emails: [] }
    expect(await createMicrosoftTeams(post()).send(to, notice, never)).toMatchObject({ isSuccessful: false })
  })
})

describe('e-mail', () => {
  const from = 'OpenTaco <taco@example.com>'
  const emails = ['a@example.com', 'b@example.com']
  destinationContract(async (at) => {
    const sink = await startMailSink()
    const url = at === undefined ? sink.url : `smtp://127.0.0.1:${at.port}`
    return {
      destination: createEmail({ url, from, ...(at && SHORT) }),
      to: { url: undefined, token: undefined, emails },
      got: () => sink.got.map(({ text }) => text),
      refuse: (words) => (sink.answer.refusal = words),
    }
  })

  test('each recipient gets it, and none sees the others', async () => {
    const sink = await startMailSink()
    const destination = createEmail({ url: sink.url, from })
    await destination.send({ url: undefined, token: undefined, emails }, notice, never)
    expect(sink.got).toMatchObject([
      {
        from: 'taco@example.com',
        to: expect.arrayContaining(emails),
        text: expect.stringMatching(/^From: OpenTaco/),
      },
    ])
    expect(sink.got[0]?.text).not.toContain('b@example.com')
    expect(sink.got[0]?.text).toContain('Subject: [acme/prod--vpc] alice locked prod/vpc.')
  })

  test('no server, or no recipient, is said in words', async () => {
    const to = { url: undefined, token: undefined, emails }
    expect(await createEmail(undefined).send(to, notice, never)).toMatchObject({
      isSuccessful: false,
      body: expect.stringContaining('--smtp-url'),
    })
    const settings = { url: 'smtp://127.0.0.1:1', from }
    expect(await createEmail(settings).send({ ...to, emails: [] }, notice, never)).toMatchObject({
      body: expect.stringContaining('No recipient'),
    })
  })
})
