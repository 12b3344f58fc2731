import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { newKeyText } from '../../src/access/secrets/keys.ts'
import { type HookReceiver, startHookReceiver } from '../peers/hook-receiver.ts'
import { startMailSink } from '../peers/mail-sink.ts'
import { type Server, startServer } from '../rig/server.ts'
import { runTaco } from '../rig/taco.ts'
import { tempFolder } from '../rig/temp.ts'
import { eventually } from '../rig/wait.ts'

const secretKey = newKeyText().text

async function taco(server: Server, ...args: readonly string[]): Promise<string> {
  const env = { TACO_SERVER: server.url, HOOK_TOKEN: 'signs' }
  const { code, stdout, stderr } = await runTaco(args, { cwd: await tempFolder(), env })
  expect(code, stderr).toBe(0)
  return stdout
}

async function createUnit(server: Server, name: string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${server.url}/v1/units`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name }),
  })
  expect(answer.status).toBe(201)
}

const namesIn = ({ got }: HookReceiver) => new Set(got.map((one) => one.json()['workspace_name']))

test('every event reaches a webhook and a mailbox, also when the server that delivers is killed', async () => {
  const [receiver, sink] = [await startHookReceiver(), await startMailSink()]
  const serve = (bucket?: string) =>
    startServer({
      ...(bucket === undefined ? {} : { bucket }),
      args: [
        '--auth',
        'none',
        '--notify-every',
        '500ms',
        '--look-every',
        '1s',
        '--smtp-from',
        'taco@example.com',
      ],
      env: { TACO_SECRET_KEY: secretKey, TACO_SMTP_URL: sink.url },
    })
  const first = await serve()
  const create = ['notification', 'create', '--trigger', 'unit:created', '--name']
  await taco(first, ...create, 'hook', '--url', receiver.url, '--token-env', 'HOOK_TOKEN')
  await taco(first, ...create, 'mail', '--email', 'ops@example.com')
  await createUnit(first, 'prod/one')
  await eventually('the first event', () => namesIn(receiver).has('prod--one') && sink.got.length > 0)
  const second = await serve(first.bucket)

  // What is refused waits; what happens now is only in the bucket when its server is killed.
  receiver.answer.status = 503
  const names = Array.from({ length: 12 }, (_, i) => `prod/later-${i}`)
  for (const name of names) await createUnit(first, name)
  await first.kill9()
  receiver.answer.status = 200
  const late = [...names, 'prod/after']
  await createUnit(second, 'prod/after')

  const flat = late.map((name) => name.replace('/', '--'))
  await eventually('every event at the webhook', () => flat.every((name) => namesIn(receiver).has(name)))
  await eventually('every event in the mailbox', () =>
    late.every((name) => sink.got.some(({ text }) => text.includes(`created ${name}.`))),
  )
  for (const { body, headers } of receiver.got)
    expect(headers['x-tfe-notification-signature']).toBe(
      createHmac('sha512', 'signs').update(body).digest('hex'),
    )
  expect(`${first.output()}${second.output()}`).not.toContain('/hook')
  expect(await taco(second, 'notification', 'ls')).toContain('unit:created')
})
