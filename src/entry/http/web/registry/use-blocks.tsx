import { hclText } from '../../../../engines/index.ts'
import type { ModulePart } from '../../../../registry/index.ts'
import { Card, Code } from '../shell/parts.tsx'

/** Where engines find the registry: the host of the server, and the organization as the namespace. */
export interface RegistryHost {
  /** Of the server, as the browser reaches it. */
  readonly address: string
  readonly org: string
}

interface UsedModule {
  readonly name: string
  readonly provider: string
  readonly version: string
  /** Undefined: what it takes is not known. */
  readonly part: ModulePart | undefined
}

const hostOf = ({ address }: RegistryHost) => new URL(address).host

/** The block that uses a module, with room for what it requires. Pure. */
export function moduleBlock(at: RegistryHost, { name, provider, version, part }: UsedModule): string {
  const inner = part === undefined || part.path === '' ? '' : `//${part.path}`
  const source = `${hostOf(at)}/${at.org}/${name}/${provider}${inner}`
  const required = (part?.inputs ?? []).filter((input) => input.default === null)
  const label = part?.path.split('/').at(-1) || name
  const lines = [
    `module ${hclText(label)} {`,
    `  source  = ${hclText(source)}`,
    `  version = ${hclText(version)}`,
    ...(required.length === 0 ? [] : ['', '  # Required:']),
    ...required.map((input) => `  # ${input.name} = ${oneLine(input.type)}`),
    '}',
    '',
  ]
  return lines.join('\n')
}

function oneLine(type: string): string {
  const text = type.replaceAll(/\s+/g, ' ').trim()
  return text.length > 60 ? `${text.slice(0, 59)}…` : text || 'any'
}

/** The block that requires a provider. Pure. */
export function providerBlock(
  at: RegistryHost,
  { name, version }: { name: string; version: string },
): string {
  return `terraform {
  required_providers {
    ${name} = {
      source  = ${hclText(`${hostOf(at)}/${at.org}/${name}`)}
      version = ${hclText(version)}
    }
  }
}
`
}

/** For the configuration of the command line: engines find a server without TLS by nothing else. Pure. */
export function hostBlock(at: RegistryHost): string {
  const services = `${at.address}/api/registry/v1`
  return `host ${hclText(hostOf(at))} {
  services = {
    "modules.v1"   = ${hclText(`${services}/modules/`)}
    "providers.v1" = ${hclText(`${services}/providers/`)}
  }
}
`
}

interface UseCardProps {
  readonly at: RegistryHost
  readonly block: string
}

/** What to paste. */
export function UseCard({ at, block }: UseCardProps) {
  return (
    <Card title="Use it in code">
      <Code label="Block to paste">{block}</Code>
      {at.address.startsWith('http:') && (
        <details class="more">
          <summary>This server has no TLS</summary>
          <p class="muted">
            Engines require https. Put this into <code>~/.tofurc</code> or <code>~/.terraformrc</code>:
          </p>
          <Code label="Block for the configuration of the command line">{hostBlock(at)}</Code>
        </details>
      )}
    </Card>
  )
}
