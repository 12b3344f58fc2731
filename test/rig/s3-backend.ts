import { type Server, type ServerOptions, startServer } from './server.ts'
import type { Engine } from './engines.ts'
import { runTaco } from './taco.ts'
import { tempFolder } from './temp.ts'
import { type Workdir, workdir } from './workdir.ts'

/** As a user has it, with the settings that `taco backend --kind s3` prints. */
export function s3Backend(engine: Engine, url: string, key: string, bucket = 'default'): string {
  return `
terraform {
  backend "s3" {
    bucket = "${bucket}"
    key    = "${key}"
    region = "us-east-1"
    ${engine.locksInBucket ? 'use_lockfile = true' : ''}
    ${s3Settings(url)}
  }
}
`
}

export function s3Settings(url: string): string {
  return `
    endpoints                   = { s3 = "${url}/s3" }
    use_path_style              = true
    skip_credentials_validation = true
    skip_metadata_api_check     = true
    skip_region_validation      = true
    skip_requesting_account_id  = true
`
}

export interface S3Server extends Server {
  /** What `taco s3-keys` says, for the environment of an engine. */
  keys(token?: string): Promise<Record<string, string>>
  /** A configuration whose state is at the key. */
  code(engine: Engine, key: string, main: string, env?: Record<string, string>): Promise<Workdir>
  taco(...args: readonly string[]): ReturnType<typeof runTaco>
}

export async function startS3Server(options: ServerOptions = {}, token?: string): Promise<S3Server> {
  const server = await startServer(options)
  const home = await tempFolder()
  const own = token === undefined ? {} : { TACO_TOKEN: token }
  const taco = (args: readonly string[], env: Record<string, string> = own) =>
    runTaco([...args, '--server', server.url], { cwd: home, env: { ...options.env, ...env } })

  async function keys(of = token): Promise<Record<string, string>> {
    const { code, output, stdout } = await taco(
      ['s3-keys', '--format', 'process'],
      of === undefined ? {} : { TACO_TOKEN: of },
    )
    if (code !== 0) throw new Error(output)
    const { AccessKeyId, SecretAccessKey } = JSON.parse(stdout) as Record<string, string>
    return { AWS_ACCESS_KEY_ID: AccessKeyId ?? '', AWS_SECRET_ACCESS_KEY: SecretAccessKey ?? '' }
  }

  return {
    ...server,
    keys,
    code: async (engine, key, main, env) =>
      workdir(engine, s3Backend(engine, server.url, key) + main, env ?? (await keys())),
    taco: (...args) => taco(args),
  }
}
