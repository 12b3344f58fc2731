import { NATIVE_TRIGGERS } from '../../../../../notifications/index.ts'
import type { Faults } from '../../shell/faults.ts'
import { Field, describedBy } from '../../shell/parts.tsx'
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
      <Field id="scope" label="About" hint="Whose events are sent.">
        <select id="scope" name="scope" aria-describedby="scope-hint">
          {SCOPES.map(([value, label]) => (
            <option value={value} selected={value === input.scope}>
              {label}
            </option>
          ))}
        </select>
      </Field>
      <div class="of-scope">
        <Field id="of" label="Which one" hint="Its name or id." error={faults['of']}>
          <input type="text" id="of" name="of" value={input.of} {...describedBy('of', faults)} />
        </Field>
      </div>
      <Field id="destination" label="Send to" hint="How it is sent." error={faults['destination']}>
        <select id="destination" name="destination" {...describedBy('destination', faults)}>
          {Object.entries(DESTINATION_WORDS).map(([value, label]) => (
            <option value={value} selected={value === input.destination}>
              {label}
            </option>
          ))}
        </select>
      </Field>
    </div>
  )
}

/** The fields of a notification, for a new one and for one that is changed. A new one has those of every destination. */
export function NotificationFields({ input, faults, destination, hasToken, hasPeople }: FieldsProps) {
  const isNew = hasToken === undefined
  return (
    <>
      <Field id="name" label="Name" hint="What it is for." error={faults['name']}>
        <input
          type="text"
          id="name"
          name="name"
          value={input.name}
          maxlength={255}
          required
          {...describedBy('name', faults)}
        />
      </Field>
      {(isNew || destination !== 'email') && (
        <div class="form for-webhook">
          <Field
            id="url"
            label="URL of the webhook"
            hint="An http or https address. People who may not change the notification see only its host."
            error={faults['url']}
          >
            <input type="text" id="url" name="url" value={input.url} {...describedBy('url', faults)} />
          </Field>
        </div>
      )}
      {(isNew || destination === 'generic') && (
        <div class="form for-generic">
          <Field
            id="token"
            label="Token"
            hint={
              hasToken === true
                ? 'There is one. It is never shown. Left empty, it stays as it is.'
                : 'Signs what is sent, so that the receiver can check it. Optional; never shown again.'
            }
            error={faults['token']}
          >
            <input
              type="password"
              id="token"
              name="token"
              autocomplete="new-password"
              {...describedBy('token', faults)}
            />
          </Field>
          {hasToken === true && (
            <label class="check">
              <input type="checkbox" name="forgetToken" value="on" /> Remove the token
            </label>
          )}
        </div>
      )}
      {(isNew || destination === 'email') && (
        <div class="form for-email">
          <Field
            id="emails"
            label="Addresses"
            hint="E-mail addresses, separated by spaces or lines."
            error={faults['emails']}
          >
            <textarea id="emails" name="emails" rows={2} {...describedBy('emails', faults)}>
              {`\n${input.emails}`}
            </textarea>
          </Field>
          {hasPeople && (
            <Field
              id="users"
              label="People"
              hint="Login names. They get e-mail at the address of their sign-in provider while they may read the events."
              error={faults['users']}
            >
              <textarea id="users" name="users" rows={2} {...describedBy('users', faults)}>
                {`\n${input.users}`}
              </textarea>
            </Field>
          )}
        </div>
      )}
      <Triggers selected={input.triggers} faults={faults} />
      <label class="check">
        <input type="checkbox" name="enabled" value="on" checked={input.enabled} /> Enabled. A webhook gets a
        test first, and must accept it
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
        {all.map(({ name, says }) => (
          <label>
            <input type="checkbox" name="triggers" value={name} checked={selected.includes(name)} />
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
