import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { WALK_KEY } from '../../peers/go-tfe.ts'
import { findOrBuild } from '../../peers/toolchain.ts'
import { engines } from '../../rig/engines.ts'
import { startSignInServer } from '../../rig/sign-in-server.ts'
import { administratorToken, hostBlock, startReceiver } from '../../rig/tfc.ts'
import { workdir } from '../../rig/workdir.ts'

const provider = await findOrBuild('terraform-provider-tfe')
const terraform = engines().find(({ name }) => name === 'terraform')
const main = new URL('provider/main.tf', import.meta.url)

const STATE = JSON.stringify({
  version: 4,
  terraform_version: '1.11.4',
  serial: 1,
  lineage: 'network',
  outputs: {
    zone: { value: 'eu-1', type: 'string' },
    password: { value: 's3cret', type: 'string', sensitive: true },
  },
  resources: [],
})

/** What another unit gives, through the data source that Terraform Cloud recommends for it. */
const OUTPUTS = `data "tfe_outputs" "network" {
  organization = tfe_organization.this.name
  workspace    = tfe_workspace.network.name
}

output "zone" {
  value = data.tfe_outputs.network.nonsensitive_values.zone
}

output "password" {
  value     = data.tfe_outputs.network.values.password
  sensitive = true
}
`

const Shown = z.object({
  values: z.object({
    root_module: z.object({
      resources: z.array(
        z.object({ address: z.string(), mode: z.string(), values: z.record(z.string(), z.unknown()) }),
      ),
    }),
  }),
})

/** What `terraform import` wants to be told, by address. */
const IMPORTS: Readonly<Record<string, (values: Readonly<Record<string, unknown>>) => string>> = {
  'tfe_organization.this': ({ name }) => String(name),
  'tfe_project.this': ({ id }) => String(id),
  'tfe_workspace.app': ({ id }) => String(id),
  'tfe_workspace_settings.app': ({ id }) => String(id),
  'tfe_variable.zone': ({ id }) => `provided/prod--app/${String(id)}`,
  'tfe_variable_set.this': ({ id }) => String(id),
  'tfe_team.ops': ({ id }) => `provided/${String(id)}`,
  'tfe_team_access.ops': ({ id }) => `provided/prod--app/${String(id)}`,
  'tfe_team_project_access.ops': ({ id }) => String(id),
  'tfe_run_trigger.this': ({ id }) => String(id),
  'tfe_agent_pool.this': ({ id }) => String(id),
  'tfe_policy_set.this': ({ id }) => String(id),
  'tfe_notification_configuration.this': ({ id }) => String(id),
  'tfe_organization_membership.new': ({ id }) => String(id),
}

test.skipIf(provider === undefined || terraform === undefined)(
  'the tfe provider creates, plans nothing more, imports and destroys',
  { timeout: 180_000 },
  async () => {
    if (provider === undefined || terraform === undefined) return
    const server = await startSignInServer([])
    const token = await administratorToken(server, 'provider')
    const work = await workdir(terraform, await readFile(main, 'utf8'), {
      TFE_TOKEN: token,
      TF_VAR_hostname: new URL(server.publicUrl).host,
      TF_VAR_hook: await startReceiver(),
      TF_VAR_gpg_key: WALK_KEY.armor,
    })
    const overrides = `provider_installation {\n  dev_overrides { "hashicorp/tfe" = "${dirname(provider)}" }\n}\n`
    await writeFile(work.env['TF_CLI_CONFIG_FILE'] ?? '', overrides + hostBlock(server.publicUrl))

    await work.must(['apply', '-auto-approve', '-no-color'])
    const again = await work.run(['plan', '-detailed-exitcode', '-no-color'])
    expect([again.code, again.output]).toEqual([0, expect.stringContaining('No changes.')])

    const shown = Shown.parse(JSON.parse((await work.must(['show', '-json'])).stdout))
    const { resources } = shown.values.root_module
    const types = (mode: string) =>
      new Set(
        resources
          .filter((one) => one.mode === mode)
          .map(({ address }) => address.replace(/^data\./, '').split('.')[0]),
      )
    expect(types('managed').size).toBeGreaterThanOrEqual(25)
    expect(types('data').size).toBeGreaterThanOrEqual(10)

    const blocks = Object.entries(IMPORTS).map(([address, idOf]) => {
      const { values } = resources.find((one) => one.address === address) ?? { values: {} }
      return `import {\n  to = ${address}\n  id = "${idOf(values)}"\n}\n`
    })
    await work.must(['state', 'rm', ...Object.keys(IMPORTS)])
    await writeFile(join(work.folder, 'imports.tf'), blocks.join('\n'))
    const imported = await work.must(['apply', '-auto-approve', '-no-color'])
    expect(imported.output).toContain(`${blocks.length} imported, 0 added, 0 changed, 0 destroyed`)

    const headers = { authorization: `Bearer ${token}` }
    const stored = await fetch(`${server.url}/v1/backend/provided/prod/network`, {
      method: 'POST',
      headers,
      body: STATE,
    })
    expect(stored.status).toBe(200)
    await writeFile(join(work.folder, 'outputs.tf'), OUTPUTS)
    await work.must(['apply', '-auto-approve', '-no-color'])
    const { stdout } = await work.must(['output', '-json'])
    expect(JSON.parse(stdout)).toMatchObject({
      zone: { value: 'eu-1', sensitive: false },
      password: { value: 's3cret', sensitive: true },
    })

    await work.must(['destroy', '-auto-approve', '-no-color'])
    expect((await fetch(`${server.url}/api/v2/organizations/provided`, { headers })).status).toBe(404)
  },
)
