import { describe, expect, test } from 'vitest'
import { runChild } from '../../rig/child.ts'
import { engines } from '../../rig/engines.ts'
import { httpBackend, oneResource } from '../../rig/hcl.ts'
import { s3Backend, s3Settings, startS3Server } from '../../rig/s3-backend.ts'
import { workdir } from '../../rig/workdir.ts'

const key = 'prod/network/terraform.tfstate'
const rootToken = 'the-root-token-of-this-test-0123456789'
const withToken = () =>
  startS3Server({ args: ['--auth', 'token'], env: { TACO_ROOT_TOKEN: rootToken } }, rootToken)
const apply = ['apply', '-auto-approve']

describe.each(engines())('backend "s3" of $name', (engine) => {
  test('every command works', async () => {
    const server = await withToken()
    const { stdout: block } = await server.taco('backend', 'prod/network', '--kind', 's3')
    const backend = engine.locksInBucket ? block : block.replace('use_lockfile = true', '')
    const code = await workdir(engine, backend + oneResource('first'), await server.keys())
    const out = async (...args: string[]) => (await code.must([...args])).stdout

    await code.must(['init'])
    await code.must(['plan'])
    await code.must(apply)
    expect(await out('output', '-raw', 'value')).toBe('first')
    expect(await out('state', 'list')).toContain('terraform_data.one')
    expect(await out('state', 'show', '-no-color', 'terraform_data.one')).toContain('"first"')
    await code.must(['state', 'mv', 'terraform_data.one', 'terraform_data.two'])
    await code.must(['state', 'rm', 'terraform_data.two'])
    await code.must(['import', 'terraform_data.one', 'imported'])
    await code.write('pulled.tfstate', await out('state', 'pull'))
    await code.must(['state', 'push', 'pulled.tfstate'])
    const asked = runChild(engine.path, ['console'], {
      cwd: code.folder,
      env: code.env,
      input: 'terraform_data.one.id\n',
    })
    expect((await asked).stdout).toContain('imported')
    await code.must(apply)
    await code.must(['destroy', '-auto-approve'])

    const { stdout } = await server.taco('state', 'versions', 'prod/network', '--json')
    const { items } = JSON.parse(stdout) as { items: { how: string; by: string }[] }
    expect(items.length).toBeGreaterThanOrEqual(6)
    expect(new Set(items.map(({ by }) => by))).toEqual(new Set(['token:root']))
  })
})

describe.each(engines().filter(({ locksInBucket }) => locksInBucket))('backend "s3" of $name', (engine) => {
  test('workspaces are units of their own', async () => {
    const server = await withToken()
    const code = await server.code(engine, key, oneResource('${terraform.workspace}'))
    const workspaces = async () =>
      (await code.must(['workspace', 'list'])).stdout.split(/[\s*]+/).filter((name) => name !== '')
    await code.must(['init'])
    await code.must(apply)

    await code.must(['workspace', 'new', 'dev'])
    await code.must(apply)
    await code.must(['workspace', 'new', 'stage'])

    expect(await workspaces()).toEqual(['default', 'dev', 'stage'])
    const { stdout } = await server.taco('unit', 'ls', '--json')
    const { items } = JSON.parse(stdout) as { items: { name: string; key: string }[] }
    expect(items.map(({ name }) => name)).toEqual(['prod/network', 'prod/network/dev', 'prod/network/stage'])
    expect(items[1]?.key).toBe(`env:/dev/${key}`)
    await code.must(['workspace', 'select', 'dev'])
    expect((await code.must(['output', '-raw', 'value'])).stdout).toBe('dev')
    expect((await code.run(['workspace', 'delete', 'stage'])).code).toBe(0)
    expect(await workspaces()).toEqual(['default', 'dev'])
    await code.must(['destroy', '-auto-approve'])
    await code.must(['workspace', 'select', 'default'])
    await code.must(['workspace', 'delete', 'dev'])
    await code.must(['workspace', 'new', 'dev'])
    expect(await workspaces()).toEqual(['default', 'dev'])
  })

  test('a state moves in from a file and from the http backend, and is read by others', async () => {
    const server = await startS3Server()
    const code = await workdir(engine, oneResource('first'), await server.keys())
    await code.must(['init'])
    await code.must(apply)

    await code.write('backend.tf', httpBackend(server.url, 'old/place'))
    await code.must(['init', '-migrate-state', '-force-copy'])
    await code.write('backend.tf', s3Backend(engine, server.url, key))
    await code.must(['init', '-migrate-state', '-force-copy'])
    expect((await code.must(['output', '-raw', 'value'])).stdout).toBe('first')

    const reader = await server.code(
      engine,
      'prod/app/terraform.tfstate',
      `
data "terraform_remote_state" "network" {
  backend = "s3"
  config = {
    bucket = "default"
    key    = "${key}"
    region = "us-east-1"
    ${s3Settings(server.url)}
  }
}
output "seen" { value = data.terraform_remote_state.network.outputs.value }
`,
    )
    // Engines that do not lock read before they write.
    await server.taco('unit', 'create', 'prod/app')
    await reader.must(['init'])
    await reader.must(apply, { TF_APPEND_USER_AGENT: 'taco-unit/prod--app' })
    expect((await reader.must(['output', '-raw', 'seen'])).stdout).toBe('first')
    const { stdout } = await server.taco('dep', 'ls', 'prod/app', '--json')
    expect(stdout).toContain('prod/network')
  })
})

test('`taco backend --kind s3` names the key that the unit has', async () => {
  const server = await startS3Server()
  const { taco } = server
  for (const args of [
    ['org', 'create', 'acme', '--prefix', 'teams/acme/'],
    ['unit', 'create', 'app', '--org', 'acme'],
    ['unit', 'create', 'net', '--key', 'env:/dev/net.tfstate'],
  ])
    expect(await taco(...args)).toMatchObject({ code: 0 })
  const keyOf = async (unit: string, org: string) => {
    const { stdout } = await taco('backend', unit, '--kind', 's3', '--org', org, '--json')
    return JSON.parse(stdout) as object
  }

  const endpoint = `${server.url}/s3`
  expect(await keyOf('app', 'acme')).toMatchObject({ bucket: 'acme', key: 'app/terraform.tfstate', endpoint })
  expect(await keyOf('net', 'default')).toMatchObject({ bucket: 'default', key: 'env:/dev/net.tfstate' })
  expect(await keyOf('new', 'default')).toMatchObject({ key: 'new/terraform.tfstate' })
})
