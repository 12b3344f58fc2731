import { ACTION_WORDS, type Action, UNIT_ACTIONS } from '../../../../../access/index.ts'
import type { Faults } from '../../shell/faults.ts'
import { TextField } from '../../shell/form/text-field.tsx'
import { Card } from '../../shell/parts.tsx'
import type { UnitPage } from '../frame.tsx'
import type { Right } from './gather.ts'

interface AskBoxProps {
  readonly path: string
  readonly who: string
  readonly rights: readonly Right[] | undefined
  readonly faults: Faults
}

/** What someone may do here, and why. */
export function AskBox({ path, who, rights, faults }: AskBoxProps) {
  return (
    <Card title="What can someone do here?">
      <form class="form" action={path}>
        <TextField
          id="who"
          label="Who"
          hint="A login name, team:ops, group:okta/platform or everyone."
          value={who}
          faults={faults}
          isRequired
        />
        <div>
          <button class="button" type="submit">
            Explain
          </button>
        </div>
      </form>
      {rights !== undefined && <Rights who={who} rights={rights} />}
    </Card>
  )
}

function Rights({ who, rights }: { readonly who: string; readonly rights: readonly Right[] }) {
  const allowed = rights.filter((right) => right.allowed)
  const denied = rights.filter((right) => !right.allowed)
  return (
    <>
      {allowed.length === 0 ? (
        <p>{who} may do nothing here.</p>
      ) : (
        <RightList title={`${who} may`} rights={allowed} />
      )}
      {denied.length > 0 && allowed.length > 0 && <RightList title={`${who} may not`} rights={denied} />}
      {allowed.length === 0 && rights[0] !== undefined && <Reasons right={rights[0]} />}
    </>
  )
}

function RightList({ title, rights }: { readonly title: string; readonly rights: readonly Right[] }) {
  return (
    <section class="rights">
      <h3>{title}</h3>
      {rights.map((right) => (
        <details class="more">
          <summary>{ACTION_WORDS[right.action]}</summary>
          <Reasons right={right} />
        </details>
      ))}
    </section>
  )
}

/** The first line repeats the answer. */
function Reasons({ right }: { readonly right: Right }) {
  return (
    <ul class="faint">
      {right.lines.slice(1).map((line) => (
        <li>{line}</li>
      ))}
      <li class="mono">{right.action}</li>
    </ul>
  )
}

/** What the person who looks at the page may do. The reasons are for those who may see the roles of others. */
export function OwnRights({ page: { view, unit } }: { readonly page: UnitPage }) {
  const isAllowed = (action: Action) => view.may(action, unit)
  const [allowed, denied] = [
    UNIT_ACTIONS.filter(isAllowed),
    UNIT_ACTIONS.filter((action) => !isAllowed(action)),
  ]
  return (
    <Card title="What you may do here">
      {denied.length === 0 ? (
        <p>Everything that can be done with a unit.</p>
      ) : (
        <>
          <ul class="listed">
            {allowed.map((action) => (
              <li>{ACTION_WORDS[action]}</li>
            ))}
          </ul>
          <details class="more">
            <summary>What you may not do</summary>
            <ul class="listed faint">
              {denied.map((action) => (
                <li>{ACTION_WORDS[action]}</li>
              ))}
            </ul>
          </details>
        </>
      )}
    </Card>
  )
}
