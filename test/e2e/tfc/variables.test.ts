import { expect, test } from 'vitest'
import { cloudBlock, cloudCode } from '../../rig/cloud.ts'
import { engines } from '../../rig/engines.ts'
import { startServer } from '../../rig/server.ts'

const resource = `
variable "name" {}
resource "terraform_data" "one" {
  input = var.name
}
`

test.each(engines())('$name imports with the variables of a workspace', async (engine) => {
  const server = await startServer()
  const code = await cloudCode(engine, server, (host) => cloudBlock(host, 'name = "app"') + resource)
  async function api(method: string, path: string, data?: unknown) {
    const headers = { 'content-type': 'application/vnd.api+json' }
    const body = data === undefined ? {} : { body: JSON.stringify({ data }) }
    const answer = await fetch(`${server.url}/api/v2/${path}`, { method, headers, ...body })
    expect(answer.ok, `${method} ${path}`).toBe(true)
    return ((await answer.json()) as { data: { id: string } }).data
  }
  await code.must(['init'])
  const { id } = await api('GET', 'organizations/default/workspaces/app')
  // Those that run here use their own variables.
  await api('PATCH', `workspaces/${id}`, { type: 'workspaces', attributes: { 'execution-mode': 'remote' } })
  const importing = () => code.run(['import', '-input=false', '-no-color', 'terraform_data.one', 'an-id'])

  expect(await importing()).toMatchObject({ code: 1, output: expect.stringContaining('"name"') })
  await api('POST', `workspaces/${id}/vars`, {
    type: 'vars',
    attributes: { key: 'name', value: 'stored', category: 'terraform' },
  })
  const imported = await importing()
  expect(imported, imported.output).toMatchObject({ code: 0 })
})
