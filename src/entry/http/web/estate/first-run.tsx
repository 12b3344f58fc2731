import type { WebServices } from '../services.ts'
import { Card, Command } from '../shell/parts.tsx'
import type { OrgView } from '../shell/view.ts'

interface FirstRunProps {
  readonly view: OrgView
  readonly services: Pick<WebServices, 'auth' | 'about'>
  readonly address: string
}

/** From an empty bucket to the first state. */
export function FirstRun({ view, services: { auth, about }, address }: FirstRunProps) {
  const org = view.org.name === 'default' ? '' : ` --org ${view.org.name}`
  return (
    <div class="grid steps">
      <p class="lead">
        There are no units in <b>{view.org.name}</b> yet. Three steps lead to the first state. This page shows
        it as soon as it is there.
      </p>
      <Card title="1. Connect the command line">
        <div class="stack">
          {auth === 'sso' ? (
            <Command>{`taco login ${address}`}</Command>
          ) : (
            <>
              <Command>{`taco use ${address}${org}`}</Command>
              {auth === 'token' && <Command>export TACO_TOKEN=…</Command>}
            </>
          )}
        </div>
      </Card>
      <Card title="2. Make a configuration use a unit">
        <div class="stack">
          <p class="muted">
            In the folder of the configuration. It writes the backend block; the unit is created by the first
            write.
          </p>
          <Command>{`taco backend prod/network --write${org}`}</Command>
        </div>
      </Card>
      <Card title="3. Apply it">
        <div class="stack">
          <Command>tofu init && tofu apply</Command>
          <p class="muted">
            Or with <code>terraform</code>.
          </p>
        </div>
      </Card>
      <Card title={`Are there states in ${about.bucket.label} already?`}>
        <div class="stack">
          <p class="muted">They become units where they are: nothing is moved or changed.</p>
          <Command>{`taco adopt --dry-run${org}`}</Command>
        </div>
      </Card>
    </div>
  )
}
