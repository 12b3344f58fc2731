import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { engines } from '../../rig/engines.ts'
import { httpBackend, oneResource, waitingResource } from '../../rig/hcl.ts'
import { type S3Server, s3Backend, startS3Server } from '../../rig/s3-backend.ts'
import { personalToken, startSignInServer } from '../../rig/sign-in-server.ts'
import { runTaco } from '../../rig/taco.ts'
import { eventually } from '../../rig/wait.ts'
import { type Workdir, workdir } from '../../rig/workdir.ts'

const key = 'prod/app/terraform.tfstate'
const apply = ['apply', '-auto-approve', '-no-color']
const locking = engines().filter(({ locksInBucket }) => locksInBucket)

/** An apply that goes on until the test lets it end. */
async function underWay(code: Workdir) {
  const [started, go] = [join(code.folder, 'started'), join(code.folder, 'go')]
  await code.write('work.tf', waitingResource(started, go))
  await code.must(['init'])
  const child = code.start(apply)
  await eventually(
    () => `the apply to be under way: ${child.output()}`,
    () => existsSync(started),
  )
  return { child, end: () => writeFile(go, '') }
}

async function heldLock(server: Pick<S3Server, 'taco'>): Promise<string> {
  const { stdout } = await server.taco('unit', 'show', 'prod/app', '--json')
  return (JSON.parse(stdout) as { lock: { id: string } }).lock.id
}

describe.each(locking)('locks of backend "s3" of $name', (engine) => {
  test('exclude other engines, at this door and at others', async () => {
    const server = await startS3Server()
    const holder = await server.code(engine, key, oneResource('one'))
    const other = await server.code(engine, key, oneResource('two'))
    const http = await workdir(engine, httpBackend(server.url, 'prod/app') + oneResource('three'))
    await http.must(['init'])
    const { child, end } = await underWay(holder)
    await other.must(['init'])

    for (const code of [other, http]) {
      const refused = await code.run(apply)
      expect(refused.code).toBe(1)
      expect(refused.output).toContain('Error acquiring the state lock')
      expect(refused.output).toContain(await heldLock(server))
    }
    await end()
    expect(await child.finished).toMatchObject({ code: 0 })
    await other.must(apply)
    expect((await http.must(['output', '-raw', 'value'])).stdout).toBe('two')
  })

  test('a killed engine leaves its lock, which force-unlock breaks; nothing of the state is lost', async () => {
    const server = await startS3Server()
    const code = await server.code(engine, key, oneResource('one'))
    const { child } = await underWay(code)
    child.signal('SIGKILL')
    await child.finished

    const refused = await code.run(apply)
    expect(refused.output).toContain('Error acquiring the state lock')
    expect((await code.run(['force-unlock', '-force', 'another'])).code).toBe(1)
    await code.must(['force-unlock', '-force', await heldLock(server)])
    await code.write('work.tf', '')
    await code.must(apply)
    expect((await code.must(['output', '-raw', 'value'])).stdout).toBe('one')
  })
})

test.each(locking.slice(-1))(
  '$name: a server that is killed in the middle loses neither lock nor state',
  async (engine) => {
    const first = await startS3Server()
    const code = await first.code(engine, key, oneResource('one'))
    const { child, end } = await underWay(code)
    await first.kill9()

    const second = await startS3Server({ bucket: first.bucket, port: first.port })
    const other = await second.code(engine, key, oneResource('two'))
    await other.must(['init'])
    expect((await other.run(apply)).output).toContain('Error acquiring the state lock')
    await end()
    expect(await child.finished).toMatchObject({ code: 0 })
    expect((await code.must(['output', '-raw', 'value'])).stdout).toBe('one')
    await other.must(apply)
  },
)

test.each(locking.slice(0, 1))(
  '$name: the lock of one person is kept from others, in the mode sso',
  async (engine) => {
    const server = await startSignInServer([])
    const people = await Promise.all(['alice', 'bob'].map((login) => personalToken(server, login)))
    const taco = (token: string, ...args: string[]) =>
      runTaco([...args, '--server', server.url], { cwd: '/tmp', env: { TACO_TOKEN: token } })
    const root = server.rootToken
    for (const [login, role] of [
      ['alice', 'operator'],
      ['bob', 'planner'],
    ] as const) {
      const granted = await taco(root, 'access', 'grant', role, '--to', login)
      expect(granted, granted.output).toMatchObject({ code: 0 })
    }
    const codes = await Promise.all(
      people.map(async (token) => {
        const keys = JSON.parse((await taco(token, 's3-keys', '--json')).stdout) as Record<string, string>
        return workdir(engine, s3Backend(engine, server.publicUrl, key) + oneResource('one'), {
          AWS_ACCESS_KEY_ID: keys['accessKeyId'] ?? '',
          AWS_SECRET_ACCESS_KEY: keys['secretAccessKey'] ?? '',
        })
      }),
    )
    const [alice, bob] = codes
    if (alice === undefined || bob === undefined) throw new Error('there are two of them')
    const { child, end } = await underWay(alice)
    await bob.must(['init'])

    const id = await heldLock({ taco: (...args) => taco(root, ...args) })
    const refused = await bob.run(['force-unlock', '-force', id])
    expect(refused.code).toBe(1)
    expect(refused.output).toContain('AccessDenied')
    expect((await bob.run(['plan', '-no-color'])).output).toContain(id)
    await end()
    expect(await child.finished).toMatchObject({ code: 0 })
    // A planner may lock and read, and not write.
    await bob.must(['plan'])
    await bob.write('main.tf', s3Backend(engine, server.publicUrl, key) + oneResource('two'))
    const written = await bob.run(apply)
    expect(written.code).toBe(1)
    expect(written.output).toContain('AccessDenied')
  },
)
