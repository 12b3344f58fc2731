import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runChild } from '../../rig/child.ts'
import { engines } from '../../rig/engines.ts'
import { httpBackend } from '../../rig/hcl.ts'
import { startServer } from '../../rig/server.ts'
import { runTaco } from '../../rig/taco.ts'
import { workdir } from '../../rig/workdir.ts'

/** Every sign that a shell, HCL or JSON could take for its own. */
const odd = `it's "quoted" $HOME $(id) \${x} %{y} \\ \u00fc`
const hclOdd = JSON.stringify(odd)
  .replaceAll('${', () => '$${')
  .replaceAll('%{', '%%{')

const network = (url: string) =>
  `${httpBackend(url, 'network')}
output "vpc_id" {
  value = "vpc-1"
}
output "subnets" {
  value = [{ id = "a", number = 12345678901234567890 }, { id = ${hclOdd}, number = 2 }]
}
output "text" {
  value = ${hclOdd}
}
output "password" {
  value     = "s3cret"
  sensitive = true
}
`

const app = (url: string) =>
  `${httpBackend(url, 'app')}
variable "vpc_id" {
  type = string
}
variable "text" {
  type = string
}
variable "networks" {
  type = list(object({ id = string, number = number }))
}
variable "password" {
  type      = string
  sensitive = true
}
output "all" {
  value = jsonencode([var.vpc_id, var.text, var.networks, nonsensitive(var.password)])
}
`

const project = `units:
  network: {}
  app:
    dir: apps/app
    dependencies:
      network:
        outputs: [vpc_id, text, password]
        inputs: { networks: subnets }
`

describe.each(engines())('taco inputs with $name', (engine) => {
  test('a plain plan finds the inputs in a file or in its environment, exactly as they were', async () => {
    const { url } = await startServer()
    const upstream = await workdir(engine, network(url))
    const code = await workdir(engine, '')
    const folder = join(code.folder, 'apps/app')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'main.tf'), app(url))
    await writeFile(join(code.folder, 'taco.yaml'), project)
    const taco = (...args: string[]) =>
      runTaco(['--server', url, ...args], { cwd: code.folder, env: code.env })
    const run = (args: readonly string[], env: Record<string, string> = {}) =>
      runChild(engine.path, args, { cwd: folder, env: { ...code.env, ...env } })

    expect(await taco('sync', '--yes')).toMatchObject({ code: 0 })
    const early = await taco('inputs', 'app')
    await upstream.must(['init'])
    await upstream.must(['apply', '-auto-approve'])
    const masked = await taco('inputs', 'app')
    const refused = await taco('inputs', 'app', '--write')
    expect(await taco('inputs', 'app', '--write', '--sensitive')).toMatchObject({ code: 0 })
    expect(await run(['init'])).toMatchObject({ code: 0 })
    const applied = await run(['apply', '-auto-approve', '-no-color'])
    const all = (await run(['output', '-raw', 'all'])).stdout

    expect(early).toMatchObject({ code: 3 })
    expect(early.stderr).toContain('network has no state')
    expect(masked.stdout).toContain('(sensitive)')
    expect(masked.stdout).not.toContain('s3cret')
    expect(refused.code).toBe(5)
    expect(applied, applied.output).toMatchObject({ code: 0 })
    const [vpc, text, networks, password] = JSON.parse(all) as unknown[]
    expect([vpc, text, password]).toEqual(['vpc-1', odd, 's3cret'])
    expect(all).toContain('12345678901234567890')
    expect(networks).toMatchObject([{ id: 'a' }, { id: odd }])

    // The same through a shell: nothing left to apply.
    const exported = await taco('inputs', 'app', '--export', '--sensitive')
    await writeFile(join(folder, 'taco.auto.tfvars.json'), '{}')
    const script = `${exported.stdout}exec "$ENGINE" plan -detailed-exitcode -no-color`
    const plan = await runChild('sh', ['-c', script], {
      cwd: folder,
      env: { ...code.env, ENGINE: engine.path },
    })
    expect(plan, plan.output).toMatchObject({ code: 0 })
    const graph = await taco('graph', '--format', 'json')
    expect(graph.stdout).toContain('"state":"fresh"')
    expect(await readFile(join(code.folder, 'taco.yaml'), 'utf8')).toBe(project)
  })
})
