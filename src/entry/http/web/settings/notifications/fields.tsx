import { NATIVE_TRIGGERS } from '../../../../../notifications/index.ts'
import type { Faults } from '../../shell/faults.ts'
import { SelectField } from '../../shell/form/select-field.tsx'
import { TextArea } from '../../shell/form/text-area.tsx'
import { TextField } from '../../shell/form/text-field.tsx'
import { DESTINATION_WORDS, type NewInput, type NotificationInput } from './input.ts'

interface FieldsProps {
  readonly input: NotificationInput
  readonly faults: Faults
  readonly destination: string
  /** Undefined: there is no token yet. */
  readonly hasToken?: boolean
  /** False: the server knows no people. */
  readonly hasPeople: boolean
}

const SCOPES = [
  ['organization', 'The whole organization'],
  ['unit', 'A unit'],
  ['project', 'A project'],
  ['team', 'A team'],
] as const

/** What cannot be changed later. */
export function NewFields({ input, faults }: { readonly input: NewInput; readonly faults: Faults }) {
  return (
    <div class="pair">
      <SelectField
        id="scope"
        label="About"
        hint="Whose events are sent."
        value={input.scope}
        options={SCOPES}
      />
      <div class="of-scope">
        <TextField id="of" label="Which one" hint="Its name or id." value={input.of} faults={faults} />
      </div>
      <SelectField
        id="destination"
        label="Send to"
        hint="How it is sent."
        value={input.destination}
        options={Object.entries(DESTINATION_WORDS)}
        faults={faults}
      />
    </div>
  )
}

/** The fields of a notification, for a new one and for one that is changed. A new one has those of every destination. */
export function NotificationFields({ input, faults, destination, hasToken, hasPeople }: FieldsProps) {
  const isNew = hasToken === undefined
  return (
    <>
      <TextField
        id="name"
        label="Name"
        hint="What it is for."
        value={input.name}
        faults={faults}
        most={255}
        isRequired
      />
      {(isNew || destination !== 'email') && (
        <div class="form for-webhook">
          <TextField
            id="url"
            label="URL of the webhook"
            hint="An http or https address. People who may not change the notification see only its host."
            value={input.url}
            faults={faults}
          />
        </div>
      )}
      {(isNew || destination === 'generic') && (
        <div class="form for-generic">
          <TextField
            id="token"
            label="Token"
            hint={
              hasToken === true
                ? 'A token is stored. It is never shown. Leave this empty to keep it.'
                : 'Signs what is sent, so that the receiver can check it. Optional; never shown again.'
            }
            value=""
            faults={faults}
            type="password"
          />
          {hasToken === true && (
            <label class="check">
              <input type="checkbox" name="forgetToken" value="on" /> Remove the token
            </label>
          )}
        </div>
      )}
      {(isNew || destination === 'email') && (
        <div class="form for-email">
          <TextArea
            id="emails"
            label="Addresses"
            hint="E-mail addresses, separated by spaces or lines."
            value={input.emails}
            rows={2}
            faults={faults}
          />
          {hasPeople && (
            <TextArea
              id="users"
              label="People"
              hint="Login names. They get e-mail at the address of their sign-in provider while they may read the events."
              value={input.users}
              rows={2}
              faults={faults}
            />
          )}
        </div>
      )}
      <Triggers selected={input.triggers} faults={faults} />
      <label class="check">
        <input type="checkbox" name="enabled" value="on" checked={input.enabled} /> Enabled. A webhook must
        accept a test first
      </label>
    </>
  )
}

/** Those that something sets off; and those that were chosen by a client of Terraform Cloud, so that they stay. */
function Triggers({ selected, faults }: { readonly selected: readonly string[]; readonly faults: Faults }) {
  const own = Object.entries(NATIVE_TRIGGERS).map(([name, { says }]) => ({ name, says: says as string }))
  const others = selected.filter((one) => !Object.hasOwn(NATIVE_TRIGGERS, one))
  const all = [...own, ...others.map((name) => ({ name, says: 'as in Terraform Cloud' }))]
  const error = faults['triggers']
  return (
    <fieldset aria-describedby={error === undefined ? undefined : 'triggers-error'}>
      <legend>Send when</legend>
      <div class="choices triggers">
        {all.map(({ name, says }, at) => (
          <label>
            <input
              type="checkbox"
              name="triggers"
              value={name}
              checked={selected.includes(name)}
              autofocus={error !== undefined && at === 0}
            />
            <span>
              {says}
              <span class="faint mono"> {name}</span>
            </span>
          </label>
        ))}
      </div>
      {error !== undefined && (
        <span class="error" id="triggers-error">
          {error}
        </span>
      )}
    </fieldset>
  )
}
