import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { engines } from '../rig/engines.ts'
import { makeRepository } from '../rig/repository.ts'
import { startServer } from '../rig/server.ts'
import { tempFolder } from '../rig/temp.ts'
import { eventually } from '../rig/wait.ts'

const rootToken = 'the-root-token-of-this-test-0123456789abcdef'

/** What every provider and provisioner of an apply can see, and a pause in which to try it. */
function spying(place: string): string {
  return `
terraform {
  backend "http" {}
}
resource "terraform_data" "spy" {
  provisioner "local-exec" {
    command = "env -0 > '${place}.tmp' && mv '${place}.tmp' '${place}'; until [ -e '${place}.go' ] || [ ! -e '${place}' ]; do sleep 0.05; done"
  }
}
`
}

type Env = Readonly<Record<string, string>>

async function seen(place: string): Promise<Env> {
  await eventually('the apply to be under way', () => existsSync(place))
  const lines = (await readFile(place, 'utf8')).split('\0').filter((line) => line !== '')
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}

/** Talks to the server of the backend, or to another one over the same bucket. */
async function call(env: Env, method: string, path: string, server?: string): Promise<number | 'away'> {
  const base = server ?? new URL(env['TF_HTTP_ADDRESS'] ?? '').origin
  const headers = {
    authorization: `Basic ${Buffer.from(`taco:${env['TF_HTTP_PASSWORD']}`).toString('base64')}`,
    'content-type': 'application/json',
  }
  const body = method === 'GET' || method === 'DELETE' ? null : '{}'
  return fetch(base + path, { method, headers, body }).then(
    ({ status }) => status,
    () => 'away' as const,
  )
}

const FORBIDDEN = [
  ['GET', '/v1/units'],
  ['GET', '/v1/units/b/state'],
  ['GET', '/v1/events'],
  ['GET', '/metrics'],
  ['PUT', '/v1/units/a/state'],
  ['POST', '/v1/backend/default/b'],
  ['LOCK', '/v1/backend/default/b'],
  ['UNLOCK', '/v1/backend/default/b'],
  ['DELETE', '/v1/backend/default/a?force=true'],
  ['DELETE', '/v1/units/a'],
  ['DELETE', '/v1/units/b'],
  ['POST', '/v1/gc'],
  ['POST', '/v1/units/b/run-tokens'],
  ['GET', '/v1/backend/other/a'],
] as const

function expectWeak(env: Env): void {
  expect(Object.keys(env)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^TACO_.*TOKEN/)]))
  expect(JSON.stringify(env)).not.toContain(rootToken)
  expect(env['TF_HTTP_PASSWORD']).toMatch(/^taco_run_default\./)
}

async function expectForOneUnit(env: Env): Promise<void> {
  const answers = await Promise.all(FORBIDDEN.map(([method, path]) => call(env, method, path)))
  expect(answers).toEqual(FORBIDDEN.map(() => 403))
  expect(await call(env, 'GET', '/v1/backend/default/b')).toBe(404)
}

describe.each(engines())('a child process of $name', (engine) => {
  async function repository(target: Env) {
    const places = await tempFolder()
    const place = (unit: string) => join(places, unit)
    const made = await makeRepository(engine, target, {
      'taco.yaml': 'units:\n  a: {}\n  b: {}\n',
      'a/main.tf': spying(place('a')),
      'b/main.tf': spying(place('b')),
    })
    await made.must('sync', '--yes')
    return { ...made, place, letGo: (unit: string) => writeFile(`${place(unit)}.go`, '') }
  }

  async function withServers() {
    const options = { args: ['--auth', 'token'], env: { TACO_ROOT_TOKEN: rootToken } }
    const server = await startServer(options)
    const other = await startServer({ ...options, bucket: server.bucket })
    const file = join(await tempFolder(), 'token')
    await writeFile(file, `${rootToken}\n`)
    const target = { TACO_SERVER: server.url, TACO_TOKEN_FILE: file, MY_OWN_COPY: rootToken }
    return { server, other, target }
  }

  async function withBucket() {
    const bucket = `file://${await tempFolder()}/bucket`
    return { TACO_BUCKET: bucket, TACO_TOKEN: rootToken, TACO_ROOT_TOKEN: rootToken }
  }

  test('of exec on a server gets a token for its unit, which any server takes until the command ends', async () => {
    const { server, other, target } = await withServers()
    const { start, place, letGo } = await repository(target)
    const apply = `cd a && "${engine.path}" init && "${engine.path}" apply -auto-approve`

    const child = start('exec', 'a', '--', 'sh', '-c', apply)
    const env = await seen(place('a'))
    expectWeak(env)
    await expectForOneUnit(env)
    expect(await call(env, 'GET', '/v1/backend/default/b', other.url)).toBe(404)
    expect(await call(env, 'GET', '/v1/units', other.url)).toBe(403)
    await letGo('a')

    expect(await child.finished).toMatchObject({ code: 0 })
    expect(await call(env, 'GET', '/v1/backend/default/a')).toBe(401)
    expect(await call(env, 'GET', '/v1/backend/default/a', other.url)).toBe(401)
    expect(server.output() + child.output()).not.toMatch(/taco_run_\w+\.\w+\.\w/)
    const versions = await fetch(`${server.url}/v1/units/a/versions`, {
      headers: { authorization: `Bearer ${rootToken}` },
    })
    expect(await versions.json()).toMatchObject({ items: [{ by: 'token:root', how: 'backend' }] })
  })

  test('of a rollout on a server gets a token of its step, which ends with the step', async () => {
    const { target } = await withServers()
    const { start, place, letGo } = await repository(target)

    const child = start('rollout', 'start', '--from', 'a,b', '--work', '-j', '2')
    const [a, b] = await Promise.all([seen(place('a')), seen(place('b'))])
    expectWeak(a)
    expectWeak(b)
    expect(a['TF_HTTP_PASSWORD']).not.toBe(b['TF_HTTP_PASSWORD'])
    await expectForOneUnit(a)
    await letGo('a')
    await eventually('the step to end', () => child.output().includes('[a] applied'))
    expect(await call(a, 'GET', '/v1/backend/default/a')).toBe(401)
    expect(await call(b, 'GET', '/v1/backend/default/a')).toBe(200)
    await letGo('b')

    expect(await child.finished).toMatchObject({ code: 0 })
    expect(await call(b, 'GET', '/v1/backend/default/a')).toBe(401)
  })

  test('of exec and of a rollout without a server gets a token for its unit as well', async () => {
    const { start, place, letGo } = await repository(await withBucket())

    const dump = `env -0 > '${place('exec')}.tmp' && mv '${place('exec')}.tmp' '${place('exec')}'`
    const exec = start('exec', 'a', '--', 'sh', '-c', `${dump}; exec sleep 600`)
    const own = await seen(place('exec'))
    expectWeak(own)
    await expectForOneUnit(own)
    exec.signal('SIGTERM')
    await exec.finished

    const work = start('rollout', 'start', '--from', 'a,b', '--work', '-j', '2')
    const [a, b] = await Promise.all([seen(place('a')), seen(place('b'))])
    expectWeak(a)
    expectWeak(b)
    expect(a['TF_HTTP_PASSWORD']).not.toBe(b['TF_HTTP_PASSWORD'])
    await expectForOneUnit(a)
    expect(await call(b, 'GET', '/v1/backend/default/a', new URL(own['TF_HTTP_ADDRESS'] ?? '').origin)).toBe(
      'away',
    )
    await letGo('a')
    await eventually('the step to end', () => work.output().includes('[a] applied'))
    expect(await call(a, 'GET', '/v1/backend/default/a')).toBe(401)
    expect(await call(b, 'GET', '/v1/backend/default/a')).toBe(200)
    await letGo('b')

    expect(await work.finished).toMatchObject({ code: 0 })
  })
})
