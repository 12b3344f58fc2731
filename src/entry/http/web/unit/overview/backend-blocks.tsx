import { type BackendPlace, backendBlock, backendUrl } from '../../../../../engines/index.ts'
import { flatName } from '../../../../../state/index.ts'
import { Card, Code } from '../../shell/parts.tsx'

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

/** What to paste into the code of the unit. Kinds are chosen without JavaScript. */
export function BackendBlocks(props: CodePlace) {
  const isPlain = props.address.startsWith('http:')
  const places = backendPlaces(props)
  return (
    <Card title="Use it in code">
      <fieldset class="kinds">
        <legend class="unseen">Kind of backend</legend>
        {places.map(({ kind }, at) => (
          <label>
            <input type="radio" name="backend" value={kind} checked={at === 0} class="unseen" />
            {kind}
          </label>
        ))}
        {places.map((place) => (
          <div class="kind" data-kind={place.kind}>
            <Code label={`Block for the kind ${place.kind}`}>{backendBlock(place)}</Code>
            {isPlain && (place.kind === 'cloud' || place.kind === 'remote') && (
              <p class="muted">Engines use this kind only with https.</p>
            )}
          </div>
        ))}
      </fieldset>
    </Card>
  )
}
