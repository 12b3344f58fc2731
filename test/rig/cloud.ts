import { writeFile } from 'node:fs/promises'
import type { Engine } from './engines.ts'
import type { Server } from './server.ts'
import { type Workdir, workdir } from './workdir.ts'

/** Tokens of servers that ask for none; the command lines insist on having one. */
const ANY_TOKEN = 'none'

export interface CloudCode extends Workdir {
  readonly host: string
}

/** The CLI configuration for a server without TLS: the services that discovery would find, and a token. */
export function hostBlock(host: string, token: string): string {
  const url = `http://${host}/api/v2/`
  const services = ['tfe.v2', 'tfe.v2.1', 'tfe.v2.2', 'state.v2'].map((id) => `    "${id}" = "${url}"`)
  return `host "${host}" {\n  services = {\n${services.join('\n')}\n  }\n}\n${credentials(host, token)}`
}

export function credentials(host: string, token: string): string {
  return `credentials "${host}" {\n  token = "${token}"\n}\n`
}

export function cloudBlock(host: string, workspaces: string, more = ''): string {
  return `
terraform {
  cloud {
    hostname     = "${host}"
    organization = "default"
    workspaces {
      ${workspaces}
    }${more}
  }
}
`
}

export function remoteBlock(host: string, workspaces: string): string {
  return cloudBlock(host, workspaces).replace('cloud {', 'backend "remote" {')
}

/** Code of an engine that talks to the Terraform Cloud API of a server without TLS. */
export async function cloudCode(
  engine: Engine,
  server: Pick<Server, 'port'>,
  main: (host: string) => string,
  token = ANY_TOKEN,
): Promise<CloudCode> {
  const host = `localhost:${server.port}`
  const code = await workdir(engine, main(host))
  await writeFile(code.env['TF_CLI_CONFIG_FILE'] ?? '', hostBlock(host, token))
  return { ...code, host }
}
