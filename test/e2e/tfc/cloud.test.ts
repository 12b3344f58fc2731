import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cloudBlock, cloudCode, remoteBlock } from '../../rig/cloud.ts'
import { engines } from '../../rig/engines.ts'
import { httpBackend, oneResource, waitingResource } from '../../rig/hcl.ts'
import { startServer } from '../../rig/server.ts'
import { eventually } from '../../rig/wait.ts'

const secret = `
output "secret" {
  value     = "s3cret"
  sensitive = true
}
`

interface State {
  readonly serial: number
  readonly resources: readonly { readonly name: string }[]
}

async function stateOf(url: string, unit: string): Promise<State> {
  return (await (await fetch(`${url}/v1/backend/default/${unit}`)).json()) as State
}

describe.each(engines())('$name', (engine) => {
  test('a cloud block with a name', async () => {
    const server = await startServer()
    const code = await cloudCode(
      engine,
      server,
      (host) => cloudBlock(host, 'name = "prod--app"') + oneResource('first') + secret,
    )

    await code.must(['init'])
    expect((await code.run(['plan', '-detailed-exitcode'])).code).toBe(2)
    await code.must(['apply', '-auto-approve'])
    expect((await code.run(['plan', '-detailed-exitcode'])).code).toBe(0)
    expect((await code.must(['output', '-raw', 'value'])).stdout).toBe('first')
    expect((await code.must(['output', '-raw', 'secret'])).stdout).toBe('s3cret')
    expect((await code.must(['state', 'list'])).stdout).toContain('terraform_data.one')
    expect((await code.must(['state', 'show', 'terraform_data.one'])).stdout).toContain('"first"')
    expect((await code.must(['workspace', 'list'])).stdout).toContain('prod--app')

    await code.must(['state', 'mv', 'terraform_data.one', 'terraform_data.two'])
    await code.must(['state', 'rm', 'terraform_data.two'])
    expect((await stateOf(server.url, 'prod/app')).resources).toEqual([])
    await code.must(['import', 'terraform_data.one', 'an-id'])
    expect((await stateOf(server.url, 'prod/app')).resources).toMatchObject([{ name: 'one' }])

    const pulled = JSON.parse((await code.must(['state', 'pull'])).stdout) as State
    await code.write('next.tfstate', JSON.stringify({ ...pulled, serial: pulled.serial + 5 }))
    await code.must(['state', 'push', 'next.tfstate'])
    await code.write('old.tfstate', JSON.stringify({ ...pulled, serial: pulled.serial - 1 }))
    expect((await code.run(['state', 'push', 'old.tfstate'])).code).toBe(1)
    expect((await stateOf(server.url, 'prod/app')).serial).toBeGreaterThanOrEqual(pulled.serial + 5)
    expect((await code.run(['console'], {}, '1 + 1\n')).stdout).toContain('2')

    await code.must(['destroy', '-auto-approve'])
    expect((await stateOf(server.url, 'prod/app')).resources).toEqual([])
    expect(existsSync(join(code.folder, 'terraform.tfstate'))).toBe(false)
  })

  test('workspaces by tags and in a project', async () => {
    const server = await startServer()
    const code = await cloudCode(
      engine,
      server,
      (host) => cloudBlock(host, 'tags = ["net", "team:a"]\n      project = "web"') + oneResource('first'),
    )
    // The first one is asked for.
    const init = await code.run(['init'], { TF_INPUT: '1' }, 'net-one\n')
    expect(init.code, init.output).toBe(0)
    await code.must(['workspace', 'new', 'net-two'])
    await code.must(['apply', '-auto-approve'])
    const listed = (await code.must(['workspace', 'list'])).stdout
    expect([listed.includes('net-one'), listed.includes('net-two')], listed).toEqual([true, true])
    await code.must(['workspace', 'select', 'net-one'])
    expect((await code.run(['workspace', 'delete', 'net-two'])).code).toBe(1)
    await code.must(['workspace', 'select', 'net-two'])
    await code.must(['destroy', '-auto-approve'])
    await code.must(['workspace', 'select', 'net-one'])
    await code.must(['workspace', 'delete', 'net-two'])
    expect((await code.must(['workspace', 'list'])).stdout).not.toContain('net-two')
  })

  test('the remote backend, a prefix, and terraform_remote_state', async () => {
    const server = await startServer()
    const base = await cloudCode(
      engine,
      server,
      (host) => remoteBlock(host, 'name = "prod--base"') + oneResource('first'),
    )
    await base.must(['init'])
    await base.must(['apply', '-auto-approve'])
    expect((await base.must(['output', '-raw', 'value'])).stdout).toBe('first')

    const user = await cloudCode(
      engine,
      server,
      (host) => `${remoteBlock(host, 'prefix = "app-"')}
data "terraform_remote_state" "base" {
  backend = "remote"
  config = {
    hostname     = "${host}"
    organization = "default"
    workspaces   = { name = "prod--base" }
  }
}
output "got" {
  value = data.terraform_remote_state.base.outputs.value
}
`,
    )
    await user.must(['init'], { TF_WORKSPACE: 'one' }).catch(() => undefined)
    await user.must(['workspace', 'new', 'one'])
    await user.must(['apply', '-auto-approve'])
    expect((await user.must(['output', '-raw', 'got'])).stdout).toBe('first')
    const units = (await (await fetch(`${server.url}/v1/units`)).json()) as { items: { name: string }[] }
    expect(units.items.map(({ name }) => name)).toEqual(['app-one', 'prod/base'])
  })

  test('states come along from a local file and from the http backend', async () => {
    const server = await startServer()
    const local = await cloudCode(engine, server, () => oneResource('made locally'))
    await local.must(['init'])
    await local.must(['apply', '-auto-approve'])
    const before = JSON.parse(await readFile(join(local.folder, 'terraform.tfstate'), 'utf8')) as State
    await local.write('cloud.tf', cloudBlock(local.host, 'name = "from-local"'))
    const moved = await local.run(['init'], { TF_INPUT: '1' }, 'yes\nyes\n')
    expect(moved.code, moved.output).toBe(0)
    expect((await stateOf(server.url, 'from-local')).resources).toEqual(before.resources)
    expect((await local.run(['plan', '-detailed-exitcode'])).code).toBe(0)

    const http = await cloudCode(
      engine,
      server,
      () => httpBackend(server.url, 'from-http') + oneResource('made over http'),
    )
    await http.must(['init'])
    await http.must(['apply', '-auto-approve'])
    await writeFile(
      join(http.folder, 'main.tf'),
      remoteBlock(http.host, 'name = "moved-here"') + oneResource('made over http'),
    )
    await http.must(['init', '-migrate-state', '-force-copy'])
    expect((await http.run(['plan', '-detailed-exitcode'])).code).toBe(0)
    expect((await stateOf(server.url, 'moved-here')).resources).toEqual(
      (await stateOf(server.url, 'from-http')).resources,
    )
  })

  test('two engines contend for a workspace, and a killed apply is unlocked by force', async () => {
    const server = await startServer()
    const started = (code: { readonly folder: string }) => join(code.folder, 'started')
    const main = (host: string) => cloudBlock(host, 'name = "busy"')
    const first = await cloudCode(engine, server, main)
    await first.write('work.tf', waitingResource(started(first), join(first.folder, 'go')))
    const second = await cloudCode(engine, server, main)
    await first.must(['init'])
    await second.must(['init'])

    const apply = first.start(['apply', '-auto-approve'])
    await eventually('the apply to be under way', () => existsSync(started(first)))
    const refused = await second.run(['apply', '-auto-approve'])
    expect([refused.code, /lock/i.test(refused.output)], refused.output).toEqual([1, true])

    apply.signal('SIGKILL')
    await apply.finished
    expect((await second.run(['apply', '-auto-approve'])).code).toBe(1)
    await second.must(['force-unlock', '-force', 'default/busy'])
    await second.must(['apply', '-auto-approve'])
  })
})
