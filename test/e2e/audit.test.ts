import { expect, test } from 'vitest'
import { startServer } from '../rig/server.ts'
import { runTaco } from '../rig/taco.ts'
import { eventually } from '../rig/wait.ts'

const token = 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00'
const options = { args: ['--auth', 'token'], env: { TACO_ROOT_TOKEN: token } }

test('servers that are killed leave no acknowledged change without its record', async () => {
  const first = await startServer(options)
  const second = await startServer({ ...options, bucket: first.bucket })
  const acknowledged: string[] = []
  const ask = async (url: string, method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(url + path, { method, headers, ...sent })
    if (answer.ok) acknowledged.push(String(answer.headers.get('x-request-id')))
  }
  // Several of each at once: the last ones are answered just before the end.
  const work = async (url: string, name: string) => {
    for (let i = 0; ; i++) {
      await ask(url, 'POST', '/v1/units', { name: `${name}-${i}` })
      await ask(url, 'POST', `/v1/units/${name}-${i}/run-tokens`, {})
      await ask(url, 'POST', `/v1/units/${name}-${i}/lock`, { id: 'l' })
      await ask(url, 'PATCH', '/v1/orgs/default', { retention: { count: i + 1 } })
    }
  }
  const working = [first, second].flatMap(({ url }, at) =>
    ['a', 'b'].map((name) => work(url, `${name}${at}`).catch(() => {})),
  )
  await eventually('some changes', () => acknowledged.length > 40)
  await Promise.all([first.kill9(), second.kill9()])
  await Promise.all(working)

  const third = await startServer({
    ...options,
    args: [...options.args, '--look-every', '2s'],
    bucket: first.bucket,
  })
  const missing = async () => {
    const { stdout } = await runTaco(['--server', third.url, 'audit', '--json'], {
      env: { TACO_TOKEN: token },
    })
    return acknowledged.filter((id) => !stdout.includes(`"${id}"`))
  }
  await eventually('the records of all that was answered', async () => (await missing()).length === 0)
  expect(acknowledged.length).toBeGreaterThan(40)
})
