import { createHash } from 'node:crypto'

export interface StateShape {
  /** About this many bytes; never fewer. */
  readonly bytes: number
  readonly serial?: number
  readonly lineage?: string
  readonly seed?: number
  readonly outputs?: number
}

/** A pretty-printed tfstate as the CLI writes it: cloud resources with ids, ARNs, tags and nested blocks. */
export function makeState(shape: StateShape): Buffer {
  const seed = shape.seed ?? 1
  const head = {
    version: 4,
    terraform_version: '1.12.6',
    serial: shape.serial ?? 1,
    lineage: shape.lineage ?? '3f2c9a1e-6d1b-4d0e-9a55-0c7c2f9a4e10',
    outputs: outputs(shape.outputs ?? 12, seed),
  }
  const opening = JSON.stringify(head, undefined, 2).slice(0, -2)
  const parts: string[] = []
  let size = opening.length
  for (let i = 0; size < shape.bytes || i === 0; i++) {
    const part = JSON.stringify(resource(i, seed), undefined, 2).replaceAll('\n', '\n    ')
    parts.push(part)
    size += part.length + 6
  }
  return Buffer.from(
    `${opening},\n  "resources": [\n    ${parts.join(',\n    ')}\n  ],\n  "check_results": null\n}\n`,
  )
}

/** The next version of a state: one resource has other tags (of another length), the serial is one higher. */
export function changeOneResource(state: Buffer, i: number): Buffer {
  const count =
    Number(/"name": "item_(\d+)"/.exec(state.toString('latin1', state.lastIndexOf('"name": "item_')))?.[1]) +
    1
  const name = `"name": "item_${(i * 7919) % count}"`
  const at = state.indexOf('"Revision": "', state.indexOf(name)) + 13
  const end = state.indexOf('"', at)
  const serialAt = state.indexOf('"serial": ') + 10
  const serialEnd = state.indexOf(',', serialAt)
  const serial = Number(state.toString('latin1', serialAt, serialEnd)) + 1
  return Buffer.concat([
    state.subarray(0, serialAt),
    Buffer.from(String(serial)),
    state.subarray(serialEnd, at),
    Buffer.from(`r${i}-${hex(i, 3).slice(0, 6 + (i % 9))}`),
    state.subarray(end),
  ])
}

/** What OpenTofu's client-side encryption sends: an envelope around bytes that look random. */
export function makeEncryptedState(shape: StateShape): Buffer {
  const blocks = Array.from({ length: Math.ceil(shape.bytes / 44) }, (_, i) => digest(i, shape.serial ?? 1))
  return Buffer.from(
    JSON.stringify({
      serial: shape.serial ?? 1,
      lineage: shape.lineage ?? '3f2c9a1e-6d1b-4d0e-9a55-0c7c2f9a4e10',
      meta: {
        'key_provider.pbkdf2.main': Buffer.from('{"salt":"c2FsdA==","iterations":600000}').toString('base64'),
      },
      encrypted_data: Buffer.concat(blocks).toString('base64'),
      encryption_version: 'v0',
    }),
  )
}

function outputs(count: number, seed: number): Record<string, unknown> {
  const all: Record<string, unknown> = {}
  for (let i = 0; i < count; i++) {
    if (i % 4 === 3)
      all[`password_${i}`] = { value: hex(i, seed).slice(0, 24), type: 'string', sensitive: true }
    else if (i % 4 === 2)
      all[`subnet_ids_${i}`] = {
        value: [id('subnet', i, seed), id('subnet', i + 1, seed)],
        type: ['tuple', ['string', 'string']],
      }
    else all[`vpc_id_${i}`] = { value: id('vpc', i, seed), type: 'string' }
  }
  return all
}

function resource(i: number, seed: number): unknown {
  const type =
    ['aws_instance', 'aws_security_group', 'aws_iam_role', 'aws_s3_bucket'][i % 4] ?? 'aws_instance'
  const many = i % 5 === 0 ? 3 : 1
  return {
    ...(i % 3 === 0 ? { module: `module.service["team-${i % 40}"]` } : {}),
    mode: i % 9 === 8 ? 'data' : 'managed',
    type,
    name: `item_${i}`,
    provider: 'provider["registry.opentofu.org/hashicorp/aws"]',
    instances: Array.from({ length: many }, (_, k) => instance(i * 10 + k, seed, many > 1 ? k : undefined)),
  }
}

function instance(i: number, seed: number, index: number | undefined): unknown {
  const tags = {
    Name: `item-${i}`,
    Team: `team-${i % 40}`,
    Environment: 'production',
    Revision: `r0-${hex(i, seed).slice(0, 8)}`,
  }
  return {
    ...(index === undefined ? {} : { index_key: index }),
    schema_version: 1,
    attributes: {
      ami: id('ami', i % 17, seed),
      arn: `arn:aws:ec2:eu-central-1:123456789012:instance/${id('i', i, seed)}`,
      associate_public_ip_address: i % 2 === 0,
      availability_zone: `eu-central-1${'abc'[i % 3]}`,
      cpu_options: [{ amd_sev_snp: '', core_count: 2, threads_per_core: 2 }],
      disable_api_stop: false,
      ebs_optimized: true,
      id: id('i', i, seed),
      instance_state: 'running',
      instance_type: ['t3.medium', 'm5.large', 'c6i.xlarge'][i % 3],
      ipv6_addresses: [],
      key_name: null,
      private_dns: `ip-10-${i % 250}-${(i * 7) % 250}-12.eu-central-1.compute.internal`,
      private_ip: `10.${i % 250}.${(i * 7) % 250}.12`,
      root_block_device: [
        {
          delete_on_termination: true,
          device_name: '/dev/xvda',
          encrypted: true,
          iops: 3000,
          kms_key_id: `arn:aws:kms:eu-central-1:123456789012:key/${hex(i, 9)}`,
          throughput: 125,
          volume_id: id('vol', i, seed),
          volume_size: 50,
          volume_type: 'gp3',
        },
      ],
      subnet_id: id('subnet', i % 60, seed),
      tags,
      tags_all: tags,
      timeouts: null,
      user_data:
        i % 6 === 0
          ? Buffer.from(`#!/bin/sh\nset -eu\nhostname item-${i}\n`.repeat(4)).toString('base64')
          : null,
      vpc_security_group_ids: [id('sg', i % 90, seed), id('sg', (i * 3) % 90, seed)],
    },
    sensitive_attributes: [],
    private: Buffer.from(
      JSON.stringify({ e2bfb730: { create: 600000000000, delete: 1200000000000 }, schema_version: '1' }),
    ).toString('base64'),
    dependencies: ['aws_subnet.main', 'aws_vpc.main', `aws_security_group.item_${i % 90}`],
  }
}

function id(prefix: string, i: number, seed: number): string {
  return `${prefix}-0${hex(i, seed).slice(0, 16)}`
}

function hex(i: number, seed: number): string {
  return digest(i, seed).toString('hex')
}

function digest(i: number, seed: number): Buffer {
  return createHash('sha256').update(`${seed}:${i}`).digest()
}
