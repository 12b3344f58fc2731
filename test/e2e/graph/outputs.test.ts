import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { engines } from '../../rig/engines.ts'
import { httpBackend } from '../../rig/hcl.ts'
import { startServer } from '../../rig/server.ts'
import { runTaco } from '../../rig/taco.ts'
import { type Workdir, workdir } from '../../rig/workdir.ts'

const Graph = z.object({
  nodes: z.array(z.looseObject({ id: z.string(), name: z.string(), status: z.string() })),
  edges: z.array(z.looseObject({ from: z.string(), to: z.string(), source: z.string(), state: z.string() })),
})

const network = (url: string, vpc: string) =>
  `${httpBackend(url, 'network')}
output "vpc_id" {
  value = "${vpc}"
}
output "number" {
  value = 12345678901234567890
}
output "password" {
  value     = "s3cret"
  sensitive = true
}
`

const app = (url: string) =>
  `${httpBackend(url, 'app')}
data "terraform_remote_state" "network" {
  backend = "http"
  config = {
    address = "${url}/v1/backend/default/network?consumer=app"
  }
}
resource "terraform_data" "app" {
  input = data.terraform_remote_state.network.outputs.vpc_id
}
`

async function graphOf(url: string) {
  return Graph.parse(await (await fetch(`${url}/v1/graph`)).json())
}

async function applied(code: Workdir): Promise<void> {
  await code.must(['init'])
  await code.must(['apply', '-auto-approve'])
}

describe.each(engines())('$name', (engine) => {
  test('a remote state read with ?consumer= is a receipt: it shows who is stale', async () => {
    const { url } = await startServer()
    const upstream = await workdir(engine, network(url, 'vpc-1'))
    const downstream = await workdir(engine, app(url))
    await applied(upstream)
    await applied(downstream)
    const before = await graphOf(url)

    await upstream.write('main.tf', network(url, 'vpc-2'))
    await upstream.must(['apply', '-auto-approve'])
    const stale = await graphOf(url)
    await downstream.must(['apply', '-auto-approve'])
    const after = await graphOf(url)

    const statusIn = ({ nodes }: z.infer<typeof Graph>) => nodes.find(({ name }) => name === 'app')?.status
    expect(before.edges).toMatchObject([{ source: 'reads', state: 'fresh' }])
    expect([before, stale, after].map(statusIn)).toEqual(['up-to-date', 'stale', 'up-to-date'])
  })

  test('what carries nothing out does not make a stale unit look fine', async () => {
    const { url } = await startServer()
    const upstream = await workdir(engine, network(url, 'vpc-1'))
    const downstream = await workdir(engine, app(url))
    await applied(upstream)
    await applied(downstream)
    await upstream.write('main.tf', network(url, 'vpc-2'))
    await upstream.must(['apply', '-auto-approve'])
    const status = async () => (await graphOf(url)).nodes.find(({ name }) => name === 'app')?.status

    const operations = [
      ['plan'],
      ['taint', 'terraform_data.app'],
      ['untaint', 'terraform_data.app'],
      ['state', 'mv', 'terraform_data.app', 'terraform_data.moved'],
      ['state', 'mv', 'terraform_data.moved', 'terraform_data.app'],
      ['refresh'],
      ['state', 'rm', 'terraform_data.app'],
      ['import', 'terraform_data.app', 'an-id'],
    ]
    for (const operation of operations) {
      await downstream.must(operation)
      expect([...operation, await status()]).toEqual([...operation, 'stale'])
    }
    await downstream.must(['state', 'mv', '-lock=false', 'terraform_data.app', 'terraform_data.moved'])
    expect(['stale', 'unknown']).toContain(await status())
    await downstream.must(['state', 'mv', 'terraform_data.moved', 'terraform_data.app'])
    await downstream.must(['apply', '-auto-approve'])
    expect(await status()).toBe('up-to-date')
  })

  test('a saved plan that saw another value than stands does not look fine, there and back again', async () => {
    const { url } = await startServer()
    const upstream = await workdir(engine, network(url, 'vpc-1'))
    const downstream = await workdir(engine, app(url))
    await applied(upstream)
    await downstream.must(['init'])
    await downstream.must(['plan'])
    await upstream.write('main.tf', network(url, 'vpc-2'))
    await upstream.must(['apply', '-auto-approve'])
    await downstream.must(['plan', '-out=saved'])
    await upstream.write('main.tf', network(url, 'vpc-1'))
    await upstream.must(['apply', '-auto-approve'])
    await downstream.must(['apply', 'saved'])

    const { nodes } = await graphOf(url)
    expect(nodes.find(({ name }) => name === 'app')?.status).toBe('unknown')
  })

  test('outputs are shown, logged and compared, with every digit and without secrets', async () => {
    const { url } = await startServer()
    const code = await workdir(engine, network(url, 'vpc-1'))
    await applied(code)
    await code.write('main.tf', network(url, 'vpc-2'))
    await code.must(['apply', '-auto-approve'])
    const taco = (...args: string[]) => runTaco(['--server', url, ...args], { cwd: code.folder })

    const shown = await taco('outputs', 'show', 'network')
    const json = await taco('outputs', 'show', 'network', '--json')
    const secret = await taco('outputs', 'show', 'network', '--only', 'password', '--sensitive')
    const log = await taco('outputs', 'log', 'network', '--json')
    const diff = await taco('outputs', 'diff', 'network', '1', '2', '--exit-code')
    const same = await taco('outputs', 'diff', 'network', '1', '2', '--only', 'number', '--exit-code')
    const wrong = await taco('outputs', 'show', 'network', '--only', 'vpc_ids')

    expect(shown).toMatchObject({ code: 0 })
    expect(shown.stdout).toContain('12345678901234567890')
    expect(shown.stdout + json.stdout).not.toContain('s3cret')
    expect(json.stdout).toContain('"value":12345678901234567890')
    expect(secret.stdout).toContain('s3cret')
    expect(JSON.parse(log.stdout)).toMatchObject({
      items: [{ commit: 2, changed: ['vpc_id'] }, { commit: 1 }],
    })
    expect(diff).toMatchObject({ code: 7, stdout: '~ vpc_id = "vpc-1" → "vpc-2"\n' })
    expect(same).toMatchObject({ code: 0, stdout: 'unchanged\n' })
    expect(wrong).toMatchObject({ code: 3 })
  })
})
