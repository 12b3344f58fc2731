import type { ProviderCheck, ProviderKind } from '../../../../../access/index.ts'
import { shell } from '../../shell/command-line.ts'
import { Confirm } from '../../shell/confirm.tsx'
import type { Faults } from '../../shell/faults.ts'
import { Form } from '../../shell/layout.tsx'
import { Card, CopiedText, Notice } from '../../shell/parts.tsx'
import type { View } from '../../shell/view.ts'
import { ServerFrame } from '../frame.tsx'
import { PROVIDER_FIELDS, type ProviderInput } from './provider-fields.ts'
import { ProviderForm } from './provider-form.tsx'

export const providerPath = (id: string) => `/server/providers/${encodeURIComponent(id)}`

export const KIND_WORDS: Readonly<Record<ProviderKind, string>> = {
  oidc: 'OpenID Connect (Okta, Entra ID, Google, Keycloak …)',
  github: 'GitHub',
  saml: 'SAML',
}

interface ProviderPageProps {
  readonly view: View
  readonly id: string
  readonly kind: ProviderKind
  readonly etag: string
  /** As it is stored. */
  readonly now: ProviderInput
  /** Secrets that are stored. */
  readonly kept: readonly string[]
  readonly publicUrl: string | undefined
  readonly input?: ProviderInput
  readonly faults?: Faults
  readonly isOvertaken?: boolean
  readonly check?: ProviderCheck
  readonly failure?: string
}

export function ProviderPage(props: ProviderPageProps) {
  const { view, id, kind, etag, now, kept, publicUrl, input = now, faults = {}, isOvertaken = false } = props
  const path = providerPath(id)
  return (
    <ServerFrame
      view={view}
      tab="Sign-in providers"
      title={now['label'] ?? id}
      command={shell`taco provider check ${id}`}
      side={
        <>
          <Checked {...props} />
          <Card title="Remove">
            <Confirm
              view={view}
              action={`${path}/delete`}
              label="Remove the provider"
              word={id}
              faults={faults}
            >
              <p>No one can sign in with it any more. Its sessions end; people and their roles are kept.</p>
            </Confirm>
          </Card>
        </>
      }
    >
      {isOvertaken && <Overtaken kind={kind} now={now} typed={input} />}
      <Card title={KIND_WORDS[kind]}>
        <CallbackAddress publicUrl={publicUrl} id={id} kind={kind} />
        <ProviderForm
          view={view}
          action={`${path}/settings`}
          kind={kind}
          etag={etag}
          input={input}
          kept={kept}
          faults={faults}
        />
      </Card>
    </ServerFrame>
  )
}

interface CallbackAddressProps {
  readonly publicUrl: string | undefined
  readonly id: string
  readonly kind: ProviderKind
}

/** What the provider has to know of this server. */
export function CallbackAddress({ publicUrl = '', id, kind }: CallbackAddressProps) {
  return (
    <>
      <p class="muted">
        {kind === 'saml'
          ? 'Give the provider this address for answers:'
          : 'Enter this callback address there:'}
      </p>
      <CopiedText>{`${publicUrl}/sign-in/${id}/callback`}</CopiedText>
    </>
  )
}

function Checked({ view, id, check, failure }: ProviderPageProps) {
  return (
    <Card title="Check">
      {failure !== undefined && (
        <Notice kind="fail">
          <p>{failure}</p>
        </Notice>
      )}
      {check !== undefined && (
        <>
          <Notice kind={check.warnings.length === 0 ? 'ok' : 'warn'}>
            <p>{check.warnings.length === 0 ? 'The provider answers as expected.' : 'Sign-in works, but:'}</p>
            {check.warnings.map((warning) => (
              <p>{warning}</p>
            ))}
          </Notice>
          <dl class="keyed">
            {Object.entries(check.facts).map(([name, value]) => (
              <>
                <dt>{name}</dt>
                <dd class="mono">{value}</dd>
              </>
            ))}
          </dl>
        </>
      )}
      <Form view={view} action={`${providerPath(id)}/check`}>
        <p class="muted">Asks the provider whether these settings can work. No one is signed in.</p>
        <button class="button" type="submit">
          Check now
        </button>
      </Form>
    </Card>
  )
}

interface OvertakenProps {
  readonly kind: ProviderKind
  readonly now: ProviderInput
  readonly typed: ProviderInput
}

function Overtaken({ kind, now, typed }: OvertakenProps) {
  const fields = [{ name: 'label', label: 'Name' }, ...PROVIDER_FIELDS[kind]]
  const different = fields.filter(({ name }) => Object.hasOwn(now, name) && (typed[name] ?? '') !== now[name])
  return (
    <Notice kind="fail">
      <p>
        Someone changed the provider while you looked at this page. Nothing was saved. What you typed is in
        the form; a secret has to be typed again.
      </p>
      {different.length > 0 && (
        <dl class="keyed">
          {different.map(({ name, label }) => (
            <>
              <dt>{label}</dt>
              <dd class="mono">{now[name] || 'none'}</dd>
            </>
          ))}
        </dl>
      )}
    </Notice>
  )
}
