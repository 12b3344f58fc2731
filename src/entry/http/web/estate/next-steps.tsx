import type { NodeView } from '../../../../graph/index.ts'
import type { WebServices } from '../services.ts'
import { unitPath, withQuery } from '../shell/addresses.ts'
import { Card, Command } from '../shell/parts.tsx'
import { type OrgView, hasPlace } from '../shell/view.ts'

/** An estate with more units has got going. */
const MOST_UNITS = 3

interface NextStepsProps {
  readonly view: OrgView
  readonly auth: WebServices['auth']
  readonly nodes: readonly NodeView[]
}

/** What to do after the first states, for those who set up the organization. Nothing once there are more. */
export function NextSteps({ view, auth, nodes }: NextStepsProps) {
  const [first] = nodes
  if (first === undefined || nodes.length > MOST_UNITS || !view.may('unit:create')) return <></>
  const { base } = view.org
  return (
    <Card title="Next steps">
      <ul class="listed stack">
        <li>
          <a href={unitPath(base, first.name)}>Open {first.name}</a>: its outputs, its history, and the way
          back to an earlier state.
        </li>
        <li>
          Say which units use outputs of which. In the folder of the code, this reads it from there, and
          writes a <code>taco.yaml</code> to look at:
          <Command>taco scan --write</Command>
        </li>
        {auth === 'sso' && hasPlace(view, '/people') && (
          <li>
            <a href={withQuery(`${base}/people`, { tab: 'grants' })}>Give others a role</a>.
          </li>
        )}
        {auth === 'none' && (
          <li>
            <a href="/sign-in">Let people sign in</a> with their own accounts.
          </li>
        )}
        {view.may('notification:manage') && (
          <li>
            <a href={`${base}/settings/notifications/new`}>Get a message</a> when a rollout fails.
          </li>
        )}
      </ul>
    </Card>
  )
}
