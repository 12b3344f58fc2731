import type { TokenView } from '../../../../access/index.ts'
import { Form, Layout } from '../shell/layout.tsx'
import { Card, Command, Field, Notice, Secret, Time, describedBy } from '../shell/parts.tsx'
import type { View } from '../shell/view.ts'
import { EXPIRY_DAYS, type TokenInput } from './token-form.ts'

interface TokensPageProps {
  readonly view: View
  readonly tokens: readonly TokenView[]
  readonly created?: { readonly token: TokenView; readonly text: string } | undefined
  readonly input?: TokenInput | undefined
  readonly faults?: Readonly<Record<string, string>> | undefined
  /** Opened by the login command of an engine. */
  readonly isForCli?: boolean | undefined
}

export function TokensPage({ view, tokens, created, input, faults, isForCli = false }: TokensPageProps) {
  return (
    <Layout view={view} title="Your tokens">
      <h1>Your tokens</h1>
      <p class="muted">
        A token lets a program act for you: with your rights, or with fewer, and never with more.
      </p>
      <div class="grid">
        {created !== undefined && (
          <Notice kind="ok">
            <p>
              The token <b>{created.token.name}</b> was created. Copy it now: it is not shown again.
            </p>
            <Secret>{created.text}</Secret>
          </Notice>
        )}
        {isForCli && (
          <Notice kind="warn">
            <p>Create a token, copy it, and paste it into the terminal that asks for it.</p>
          </Notice>
        )}
        <Card title="Create a token">
          <TokenForm view={view} input={input} faults={faults ?? {}} isForCli={isForCli} />
        </Card>
        <Card title="Tokens">
          {tokens.length === 0 ? (
            <p class="muted">You have no tokens.</p>
          ) : (
            <TokenTable view={view} tokens={tokens} />
          )}
        </Card>
        <Command>taco token ls</Command>
      </div>
    </Layout>
  )
}

interface TokenFormProps {
  readonly view: View
  readonly input: TokenInput | undefined
  readonly faults: Readonly<Record<string, string>>
  readonly isForCli: boolean
}

const UNIT_HINT = 'Patterns such as prod/**, separated by spaces. Empty: all units that you may use.'
const ACTION_HINT = 'Such as state:read or state:*, separated by spaces. Empty: everything that you may do.'

function TokenForm({ view, input, faults, isForCli }: TokenFormProps) {
  const name = input?.name ?? (isForCli ? 'terraform login' : '')
  return (
    <Form view={view} action="/account/tokens" class="form">
      <Field
        id="name"
        label="Name"
        hint="What it is for, such as “laptop” or “deploy script”."
        error={faults['name']}
      >
        <input
          type="text"
          id="name"
          name="name"
          value={name}
          maxlength={100}
          required
          {...describedBy('name', faults)}
        />
      </Field>
      <Field id="days" label="Expires after" error={faults['expiresAt']}>
        <select id="days" name="days">
          {EXPIRY_DAYS.map((days) => (
            <option value={days} selected={days === (input?.days ?? '90')}>
              {days} days
            </option>
          ))}
        </select>
      </Field>
      <Field id="units" label="Only these units" hint={UNIT_HINT} error={faults['units']}>
        <input
          type="text"
          id="units"
          name="units"
          value={input?.units ?? ''}
          {...describedBy('units', faults)}
        />
      </Field>
      <Field id="actions" label="Only these actions" hint={ACTION_HINT} error={faults['actions']}>
        <input
          type="text"
          id="actions"
          name="actions"
          value={input?.actions ?? ''}
          {...describedBy('actions', faults)}
        />
      </Field>
      <div>
        <button class="button primary" type="submit">
          Create token
        </button>
      </div>
    </Form>
  )
}

const STATUS_CHIP: Readonly<Record<TokenView['status'], string>> = {
  active: 'chip ok',
  expired: 'chip',
  revoked: 'chip',
}

function TokenTable({ view, tokens }: { readonly view: View; readonly tokens: readonly TokenView[] }) {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Status</th>
            <th scope="col">May do</th>
            <th scope="col">Created</th>
            <th scope="col">Expires</th>
            <th scope="col">Last used</th>
            <th scope="col">
              <span class="unseen">Revoke</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <tr>
              <td>
                {token.name}
                <div class="faint mono">{token.id}</div>
              </td>
              <td>
                <span class={STATUS_CHIP[token.status]}>{token.status}</span>
              </td>
              <td>{scopeText(token)}</td>
              <td>
                <Time at={token.createdAt} />
              </td>
              <td>{token.expiresAt === null ? 'never' : <Time at={token.expiresAt} />}</td>
              <td>{token.lastUsedAt === null ? 'never' : <Time at={token.lastUsedAt} />}</td>
              <td>
                {token.status === 'active' && (
                  <Form view={view} action="/account/tokens/revoke">
                    <input type="hidden" name="token" value={token.id} />
                    <button class="button small danger" type="submit" aria-label={`Revoke ${token.name}`}>
                      Revoke
                    </button>
                  </Form>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function scopeText({ actions, units }: TokenView): string {
  if (actions === null && units === null) return 'everything that you may do'
  const what = actions === null ? 'everything' : actions.join(', ')
  return units === null ? what : `${what} on ${units.join(', ')}`
}
