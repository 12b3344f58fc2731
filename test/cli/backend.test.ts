import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testWorld } from '../support/cli.ts'
import { openEmbedded } from '../../src/wire/embed.ts'

function world(files: Readonly<Record<string, string | Buffer>>) {
  const made = testWorld({ openEmbedded, now: Date.now })
  onTestFinished(made.dispose)
  made.env['TACO_SERVER'] = 'https://taco.example'
  for (const [name, text] of Object.entries(files)) writeFileSync(join(made.cwd, name), text)
  return {
    async taco(...args: readonly string[]) {
      const code = await made.run(...args)
      return { code, err: made.err() }
    },
    has: (name: string) => existsSync(join(made.cwd, name)),
    read: (name: string) => readFileSync(join(made.cwd, name)),
  }
}

const S3 = 'terraform {\n  required_version = ">= 1.6"\n  backend "s3" {\n    bucket = "b"\n  }\n}\n'

test('a second backend is not written beside the one in the code', async () => {
  const { taco, has, read } = world({ 'main.tf': S3 })

  for (const args of [['--write'], ['--write', '--force'], ['--write=other.tf']]) {
    const { code, err } = await taco('backend', 'app', ...args)
    expect(code).not.toBe(0)
    expect(err).toContain('main.tf line 3 (backend "s3")')
    expect(err).toContain('--replace')
  }
  expect([has('backend.tf'), has('other.tf'), read('main.tf').toString()]).toEqual([false, false, S3])
})

test('--replace puts it in the place of that one, and leaves every other byte', async () => {
  const rest = Buffer.from([0x23, 0x20, 0xe4, 0xff, 0x0a])
  const { taco, has, read } = world({ 'main.tf': Buffer.concat([Buffer.from(S3), rest]) })

  expect(await taco('backend', 'app', '--replace')).toMatchObject({ code: 0 })

  const address = '"https://taco.example/v1/backend/default/app"'
  const text = S3.replace(
    'backend "s3" {\n    bucket = "b"\n  }',
    `backend "http" {\n    address        = ${address}\n    lock_address   = ${address}\n    unlock_address = ${address}\n  }`,
  )
  expect(read('main.tf')).toEqual(Buffer.concat([Buffer.from(text), rest]))
  expect(has('backend.tf')).toBe(false)
})

test('several candidates, and backends in JSON, are left to people', async () => {
  const several = world({ 'a.tf': S3, 'b.tf': 'terraform {\n  cloud {}\n}\n' })
  const json = world({ 'a.tf.json': '{"terraform":{"backend":{"s3":{}}}}' })

  for (const { taco } of [several, json]) {
    const { code, err } = await taco('backend', 'app', '--replace')
    expect(code).not.toBe(0)
    expect(err).toContain('Keep one of them')
  }
  expect(several.read('a.tf').toString()).toBe(S3)
})

test('without a backend in the code, it is written to a new file', async () => {
  const { taco, read } = world({ 'main.tf': '# terraform { backend "s3" {} }\n' })

  expect(await taco('backend', 'app', '--replace')).toMatchObject({ code: 0 })
  expect(read('backend.tf').toString()).toContain('backend "http"')
})

test.each([
  ['cloud', 'cloud {'],
  ['remote', 'backend "remote" {'],
])('--kind %s names the workspace of the unit', async (kind, first) => {
  const { taco, read } = world({})

  expect(await taco('backend', 'prod/app', '--kind', kind, '--org', 'acme', '--write')).toMatchObject({
    code: 0,
  })
  expect(read('backend.tf').toString()).toBe(`terraform {
  ${first}
    hostname     = "taco.example"
    organization = "acme"

    workspaces {
      name = "prod--app"
    }
  }
}
`)
})

test('--kind cloud says how engines use a server without TLS', async () => {
  const advised = (server: string) => world({}).taco('backend', 'app', '--kind', 'cloud', '--server', server)

  expect((await advised('http://taco.example')).err).toContain('Without TLS')
  expect((await advised('https://taco.example')).err).not.toContain('Without TLS')
})

test.each(['cloud', 'remote', 's3'])('--kind %s needs a server', async (kind) => {
  const { taco } = world({})

  const { code, err } = await taco('backend', 'app', '--kind', kind, '--bucket', './data')
  expect(code).not.toBe(0)
  expect(err).toContain(`A backend of the kind ${kind} needs a server.`)
})
