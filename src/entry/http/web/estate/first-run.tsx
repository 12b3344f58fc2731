import { parseNewUnitName } from '../../../../state/index.ts'
import { isLoopback } from '../../auth/loopback.ts'
import type { WebServices } from '../services.ts'
import { type Faults, faultsAt } from '../shell/faults.ts'
import { TextField } from '../shell/form/text-field.tsx'
import { Card, Command } from '../shell/parts.tsx'
import type { OrgView } from '../shell/view.ts'
import { BackendBlocks, credentialCommand } from '../unit/overview/backend-blocks.tsx'
import { MovingIn } from './moving-in.tsx'

interface FirstRunProps {
  readonly view: OrgView
  readonly services: Pick<WebServices, 'auth' | 'about' | 'commandFile'>
  /** Of the server, as the browser reaches it. */
  readonly address: string
  /** The name that the person gave to the first unit. */
  readonly given: string | undefined
  readonly mayCreate: boolean
}

/** From an empty bucket to the first state. */
export function FirstRun({ view, services, address, given = 'prod/network', mayCreate }: FirstRunProps) {
  if (!mayCreate)
    return (
      <p class="lead">
        There are no units in <b>{view.org.name}</b> that you may see, and you may not create any. Ask someone
        who administers the organization for a role. You are <b>{view.person}</b>.
      </p>
    )
  const { auth, about } = services
  const { unit, faults } = nameIn(given)
  const quoted = unit.includes(' ') ? `"${unit}"` : unit
  const credential = credentialCommand('http', { auth, address })
  return (
    <div class="grid steps">
      <p class="lead">
        There are no units in <b>{view.org.name}</b> yet. Three steps lead to the first state. This page shows
        it as soon as it arrives.
      </p>
      <Card title="1. Connect the command line">
        <Connect auth={auth} address={address} file={services.commandFile} />
      </Card>
      <Card title="2. Point a configuration at the unit">
        <form class="form" action={view.org.base}>
          <TextField
            id="unit"
            label="Name of the unit"
            hint="A path. Units are grouped by it."
            value={given}
            faults={faults}
          />
          <div>
            <button class="button" type="submit">
              Fill in
            </button>
          </div>
        </form>
        <div class="stack after">
          <p class="muted">
            In the folder of a configuration. The command writes the backend block to <code>backend.tf</code>.
            The first apply creates the unit.
          </p>
          <Command>{`taco backend ${quoted} --write`}</Command>
          <p class="muted">If the folder is empty, this is enough for a first try:</p>
          <Command>{`echo 'output "hello" { value = "world" }' > main.tf`}</Command>
        </div>
        <details class="more">
          <summary>Without the command line: paste the block</summary>
          <BackendBlocks
            auth={auth}
            address={address}
            org={view.org.name}
            unit={unit}
            stateKey={`${unit}/terraform.tfstate`}
          />
          {auth === 'sso' && (
            <p class="muted">
              Without <code>taco</code>, create a token under <a href="/account/tokens">Your tokens</a>, and
              put it in <code>TF_HTTP_PASSWORD</code>.
            </p>
          )}
        </details>
      </Card>
      <Card title="3. Apply it">
        <div class="stack">
          {credential !== undefined && <Command>{credential}</Command>}
          <Command>tofu init && tofu apply</Command>
          <p class="muted">
            Or with <code>terraform</code>. If the folder has a local state,{' '}
            <code>tofu init -migrate-state</code> brings it along.
          </p>
        </div>
      </Card>
      <MovingIn bucket={about.bucket.label} unit={quoted} />
    </div>
  )
}

interface ConnectProps {
  readonly auth: WebServices['auth']
  readonly address: string
  readonly file: string | undefined
}

function Connect({ auth, address, file }: ConnectProps) {
  return (
    <div class="stack">
      {file !== undefined && isLoopback(new URL(address).hostname) && (
        <Command>{`alias taco='${file}'`}</Command>
      )}
      <Command>{auth === 'sso' ? `taco login ${address}` : `taco use ${address}`}</Command>
      {auth === 'token' && (
        <>
          <p class="muted">This waits for the root token, and shows nothing while you paste it:</p>
          <Command>read -rs TACO_TOKEN && export TACO_TOKEN</Command>
        </>
      )}
    </div>
  )
}

/** A name that cannot be is named at its field; the commands keep one that works. */
function nameIn(given: string): { readonly unit: string; readonly faults: Faults } {
  try {
    return { unit: parseNewUnitName(given), faults: {} }
  } catch (error) {
    return { unit: 'prod/network', faults: faultsAt(error, ['unit']) }
  }
}
