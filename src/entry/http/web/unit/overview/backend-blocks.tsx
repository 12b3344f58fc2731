import { type BackendPlace, backendBlock, backendUrl } from '../../../../../engines/index.ts'
import { flatName } from '../../../../../state/index.ts'
import type { WebServices } from '../../services.ts'
import { Code, Command } from '../../shell/parts.tsx'

interface CodePlace {
  /** Of the server, as the browser reaches it. */
  readonly address: string
  /** The name of the organization. */
  readonly org: string
  readonly unit: string
  /** Of the state, relative to the folder of the organization. Undefined: it is outside of that. */
  readonly stateKey: string | undefined
}

/** One for each kind of backend that can be used for the unit; the first is the simplest one that works. Pure. */
export function backendPlaces({ address, org, unit, stateKey: key }: CodePlace): readonly BackendPlace[] {
  const workspace = { hostname: new URL(address).host, organization: org, workspace: flatName(unit) }
  const http = { kind: 'http', address: backendUrl(address, org, unit) } as const
  const cloud = { kind: 'cloud', ...workspace } as const
  return [
    ...(address.startsWith('https:') ? [cloud, http] : [http, cloud]),
    { kind: 'remote', ...workspace },
    ...(key === undefined ? [] : [{ kind: 's3', endpoint: `${address}/s3`, bucket: org, key } as const]),
  ]
}

type Auth = WebServices['auth']

/** Gives the engine what it signs in with, which stays out of the code. Undefined: it needs nothing. Pure. */
export function credentialCommand(
  kind: BackendPlace['kind'],
  { auth, address }: { readonly auth: Auth; readonly address: string },
): string | undefined {
  if (kind === 's3')
    // Engines insist on keys, also where any will do.
    return auth === 'none'
      ? 'export AWS_ACCESS_KEY_ID=none AWS_SECRET_ACCESS_KEY=none'
      : 'eval "$(taco s3-keys)"'
  if (auth === 'none') return undefined
  if (kind === 'http')
    return `export TF_HTTP_USERNAME=taco TF_HTTP_PASSWORD="${auth === 'token' ? '$TACO_TOKEN' : '$(taco whoami --token)'}"`
  return auth === 'token'
    ? `printf %s "$TACO_TOKEN" | taco login ${address} --token-stdin --for tofu --for terraform`
    : `taco login ${address} --for tofu --for terraform`
}

/** What to paste into the code of the unit. Kinds are chosen without JavaScript. */
export function BackendBlocks({ auth, ...place }: CodePlace & { readonly auth: Auth }) {
  const isPlain = place.address.startsWith('http:')
  const places = backendPlaces(place)
  return (
    <fieldset class="kinds">
      <legend class="unseen">Kind of backend</legend>
      {places.map(({ kind }, at) => (
        <label>
          <input type="radio" name="backend" value={kind} checked={at === 0} class="unseen" />
          {kind}
        </label>
      ))}
      {places.map((one) => (
        <div class="kind stack" data-kind={one.kind}>
          <Code label={`Block for the kind ${one.kind}`}>{backendBlock(one)}</Code>
          <Credential command={credentialCommand(one.kind, { auth, address: place.address })} />
          {isPlain && auth === 'none' && (one.kind === 'cloud' || one.kind === 'remote') && (
            <p class="muted">Engines use this kind only with https.</p>
          )}
        </div>
      ))}
    </fieldset>
  )
}

function Credential({ command }: { readonly command: string | undefined }) {
  if (command === undefined) return <></>
  return (
    <>
      <p class="muted">The token stays out of the code. Before the engine runs:</p>
      <Command>{command}</Command>
    </>
  )
}
