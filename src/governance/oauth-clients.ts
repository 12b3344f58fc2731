import { z } from 'zod'
import type { Caller, Sealing } from '../access/index.ts'
import { maskUrl } from '../base/text/mask-url.ts'
import { TacoError } from '../base/errors.ts'
import { openObject } from '../bucket/index.ts'
import { type RecordDeps, type RecordOf, createRecords, hasTag, taggedId } from '../records/index.ts'

/** What to call the code hosts that there are connections to. */
export const SERVICE_PROVIDERS = {
  ado_server: 'Azure DevOps Server',
  ado_services: 'Azure DevOps Services',
  bitbucket_data_center: 'Bitbucket Data Center',
  bitbucket_hosted: 'Bitbucket Cloud',
  bitbucket_server: 'Bitbucket Server',
  bitbucket_server_legacy: 'Bitbucket Server Legacy',
  github: 'GitHub',
  github_enterprise: 'GitHub Enterprise',
  gitlab_hosted: 'GitLab.com',
  gitlab_community_edition: 'GitLab Community Edition',
  gitlab_enterprise_edition: 'GitLab Enterprise Edition',
} as const
export type ServiceProvider = keyof typeof SERVICE_PROVIDERS

const Token = openObject({
  id: z.string(),
  createdAt: z.number(),
  /** Sealed. */
  value: z.string(),
  /** Sealed. With it, runs fetch submodules. */
  sshKey: z.string().optional(),
})
const shape = {
  name: z.string().optional(),
  provider: z.string(),
  apiUrl: z.string(),
  httpUrl: z.string(),
  /** What the code host calls this client. Not a secret. */
  key: z.string().optional(),
  /** Sealed. */
  secret: z.string().optional(),
  /** Sealed. */
  privateKey: z.string().optional(),
  rsaPublicKey: z.string().optional(),
  /** True: for every unit. Otherwise for those of the projects. */
  isOrgScoped: z.boolean(),
  agentPool: z.string().optional(),
  projects: z.array(z.string()),
  token: Token.optional(),
}
type Stored = RecordOf<typeof shape>

/** Without secrets: they can be replaced, never read. */
export type OAuthClient = Omit<Stored, 'secret' | 'privateKey' | 'token'> & {
  readonly token: OAuthToken | undefined
}
export interface OAuthToken {
  readonly id: string
  readonly createdAt: number
  readonly hasSshKey: boolean
}

export type OAuthClientFields = Pick<
  OAuthClient,
  | 'name'
  | 'provider'
  | 'apiUrl'
  | 'httpUrl'
  | 'key'
  | 'rsaPublicKey'
  | 'isOrgScoped'
  | 'agentPool'
  | 'projects'
>
/** Undefined leaves what there is. */
export interface OAuthSecrets {
  readonly secret?: string | undefined
  readonly privateKey?: string | undefined
  /** The token that the code host gave. */
  readonly token?: string | undefined
}

/** Connections to code hosts. */
export interface OAuthClients {
  list(org: string): Promise<readonly OAuthClient[]>
  locate(id: string): Promise<{ readonly org: string; readonly record: OAuthClient } | undefined>
  /** The client of a token, by the id of the token alone. */
  locateToken(
    id: string,
  ): Promise<{ readonly org: string; readonly client: OAuthClient; readonly token: OAuthToken } | undefined>
  create(org: string, fields: OAuthClientFields, secrets: OAuthSecrets, caller: Caller): Promise<OAuthClient>
  update(
    org: string,
    id: string,
    change: (client: OAuthClientFields) => OAuthClientFields,
    secrets: OAuthSecrets,
    caller: Caller,
  ): Promise<OAuthClient>
  remove(org: string, id: string, caller: Caller): Promise<void>
  setSshKey(org: string, token: string, sshKey: string, caller: Caller): Promise<OAuthClient>
  removeToken(org: string, token: string, caller: Caller): Promise<void>
}

export function createOAuthClients(deps: RecordDeps & { readonly sealing: Sealing }): OAuthClients {
  const { sealing, clock, ids, orgIds } = deps
  const records = createRecords(deps, {
    name: 'OAuth client',
    folder: 'oauth-clients',
    word: 'oauth-client',
    prefix: 'oc',
    shape,
    most: 500,
    says: ({ name, provider, httpUrl }) => ({ name, provider, httpUrl: maskUrl(httpUrl) }),
  })
  const seal = (of: string, field: string, value: string) =>
    sealing.seal(value, `oauth-client ${of} ${field}`)

  function sealed(org: string, id: string, { secret, privateKey, token }: OAuthSecrets, before?: Stored) {
    const tokenId = before?.token?.id ?? taggedId(ids.id('ot'), org)
    return {
      ...(secret === undefined ? {} : { secret: seal(id, 'secret', secret) }),
      ...(privateKey === undefined ? {} : { privateKey: seal(id, 'privateKey', privateKey) }),
      ...(token === undefined
        ? {}
        : {
            token: {
              ...(before?.token ?? { id: tokenId, createdAt: clock.now() }),
              value: seal(tokenId, 'value', token),
            },
          }),
    }
  }

  async function withToken(org: string, token: string): Promise<Stored | undefined> {
    return (await records.list({ org })).find((client) => client.token?.id === token)
  }

  async function changeToken(
    org: string,
    id: string,
    change: (token: z.infer<typeof Token>) => Stored['token'],
    caller: Caller,
  ): Promise<OAuthClient> {
    const missing = () => new TacoError('NOT_FOUND', `There is no OAuth token ${id}.`, { facts: { id } })
    const client = await withToken(org, id)
    if (client === undefined) throw missing()
    const changed = await records.update(
      { org },
      client.id,
      ({ token, ...rest }) => {
        if (token?.id !== id) throw missing()
        const next = change(token)
        return next === undefined ? rest : { ...rest, token: next }
      },
      caller,
    )
    return shown(changed)
  }

  return {
    list: async (org) => (await records.list({ org })).map(shown),
    async locate(id) {
      const found = await records.locate(id)
      return found && { org: found.org, record: shown(found.record) }
    },
    locateToken(id) {
      return orgIds.search(async (org) => {
        const client = hasTag(id, org) ? await withToken(org, id) : undefined
        const seen = client && shown(client)
        return seen?.token && { org, client: seen, token: seen.token }
      })
    },
    async create(org, fields, secrets, caller) {
      const id = records.newId(org)
      return shown(await records.create({ org }, { ...fields, ...sealed(org, id, secrets) }, caller, id))
    },
    async update(org, id, change, secrets, caller) {
      const changed = await records.update(
        { org },
        id,
        (before) => ({ ...before, ...change(before), ...sealed(org, id, secrets, before) }),
        caller,
      )
      return shown(changed)
    },
    async remove(org, id, caller) {
      await records.remove({ org }, id, caller)
    },
    setSshKey: (org, id, sshKey, caller) =>
      changeToken(org, id, (token) => ({ ...token, sshKey: seal(id, 'sshKey', sshKey) }), caller),
    async removeToken(org, id, caller) {
      await changeToken(org, id, () => undefined, caller)
    },
  }
}

function shown({ secret: _, privateKey: _key, token, ...client }: Stored): OAuthClient {
  const seen = token && { id: token.id, createdAt: token.createdAt, hasSshKey: token.sshKey !== undefined }
  return { ...client, token: seen }
}
