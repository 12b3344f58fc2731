import { archiveOf } from '../../test/support/archives.ts'
import type { Actor } from './server.ts'

/** Teams, roles, variables, modules and what else an owner sets up. */
export async function organize(alex: Actor, org: string): Promise<void> {
  const base = `/v1/orgs/${org}`
  const platform = { name: 'platform', description: 'Networks and clusters', groups: ['okta/platform'] }
  await alex.send('POST', `${base}/teams`, platform)
  await alex.send('POST', `${base}/teams`, { name: 'shop', description: 'The shop and its data' })
  await alex.send('PUT', `${base}/teams/shop/members/sam`)
  await alex.send('PUT', `${base}/teams/platform/members/maria`)
  await alex.send('PUT', `${base}/roles/on-call`, {
    description: 'Unlock and roll back what is in production',
    rules: [
      { effect: 'allow', actions: ['lock', 'unlock-others', 'state:rollback'], units: ['prod/**'] },
      { effect: 'deny', actions: ['state:force'], labels: { team: 'iam' } },
    ],
  })
  for (const [role, to] of [
    ['admin', 'team:platform'],
    ['operator', 'team:shop'],
    ['on-call', 'team:shop'],
    ['reader', 'everyone'],
  ] as const)
    await alex.send('POST', `${base}/bindings`, { role, to })
  await alex.send('POST', `${base}/notifications`, {
    name: 'Tell the on-call channel',
    destination: 'generic',
    triggers: ['state:changed'],
    url: 'https://hooks.acme.example/taco',
    enabled: false,
  })
  await alex.send('POST', `${base}/tokens`, { name: 'deploy', kind: 'organization', roles: ['operator'] })
  for (const version of ['1.0.0', '1.1.0', '1.2.0'])
    await alex.send('PUT', `${base}/registry/modules/network/aws/${version}`, moduleOf(version))
}

/** Variables of a set for all units and of one unit that overrides one of them. */
export async function setVariables(alex: Actor, org: string, unit: string): Promise<void> {
  const sets = `/v1/orgs/${org}/variable-sets`
  const made = await alex.send('POST', sets, {
    name: 'aws',
    description: 'The account of production',
    global: true,
  })
  await alex.send('PATCH', `${sets}/${String(made['id'])}/variables`, {
    set: [
      { key: 'AWS_REGION', category: 'env', value: 'eu-west-1' },
      { key: 'AWS_SECRET_ACCESS_KEY', category: 'env', value: 'correct-horse', sensitive: true },
      { key: 'instance_class', value: 'db.r6g.large', description: 'Unless a unit needs more' },
    ],
  })
  await alex.send('PATCH', `/v1/units/${unit.replaceAll('/', '--')}/variables?org=${org}`, {
    set: [
      { key: 'instance_class', value: 'db.r6g.2xlarge' },
      { key: 'replicas', value: '{ eu = 2, us = 1 }', hcl: true },
    ],
  })
}

function moduleOf(version: string): Buffer {
  const readme = `# Network\n\nA VPC with public and private subnets in each zone.\n\nVersion ${version} works with OpenTofu 1.6 and newer.\n\n## Usage\n\n\`\`\`hcl\nmodule "network" {\n  source = "taco.acme.example/acme/network/aws"\n  cidr   = "10.0.0.0/16"\n}\n\`\`\`\n`
  const files: Readonly<Record<string, string>> = {
    'README.md': readme,
    'variables.tf':
      'variable "cidr" {\n  type        = string\n  description = "Addresses of the network"\n}\n\nvariable "zones" {\n  type        = list(string)\n  description = "Zones that get a subnet"\n  default     = ["a", "b", "c"]\n}\n',
    'outputs.tf':
      'output "vpc_id" {\n  value       = aws_vpc.this.id\n  description = "Id of the VPC"\n}\n\noutput "subnet_ids" {\n  value       = aws_subnet.private[*].id\n  description = "Ids of the private subnets"\n}\n',
    'main.tf':
      'terraform {\n  required_providers {\n    aws = { source = "hashicorp/aws", version = ">= 5.0" }\n  }\n}\n\nresource "aws_vpc" "this" {\n  cidr_block = var.cidr\n}\n\nresource "aws_subnet" "private" {\n  count = length(var.zones)\n}\n',
  }
  return archiveOf(Object.entries(files).map(([path, content]) => ({ path, content })))
}
