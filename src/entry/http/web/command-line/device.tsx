import { z } from 'zod'
import { type WaitingDevice, showUserCode } from '../../../../access/index.ts'
import { refuseWaiting } from '../../auth/rate-limit.ts'
import type { Exchange } from '../../kit/exchange.ts'
import type { Route } from '../../kit/routes/route.ts'
import { form, page } from '../define.ts'
import type { WebServices } from '../services.ts'
import { Field } from '../shell/form/field.tsx'
import { Form, Layout } from '../shell/layout.tsx'
import { Card, Notice, Time } from '../shell/parts.tsx'
import { htmlReply } from '../shell/render.ts'
import { type View, viewOf } from '../shell/view.ts'
import { Answers } from './authorization.tsx'
import { Answer, oauthOf, personOf } from './granting.ts'

const UserCode = z.string().max(40)

export const deviceRoutes: readonly Route[] = [
  page({
    path: '/device',
    id: 'showDevice',
    action: 'account:manage',
    summary: 'Enter the code that a device shows',
    query: z.object({ user_code: UserCode.optional() }),
    async handle({ query, x }, services) {
      const person = personOf(x)
      const { user_code: code = '' } = query
      const device = code === '' ? undefined : await foundDevice(code, x, services)
      const view = viewOf(x, services)
      if (device === undefined) return htmlReply(<EnterCode view={view} wrong={code} />)
      return htmlReply(<ConfirmDevice view={view} code={code} device={device} person={person.name} />)
    },
  }),
  form({
    path: '/device',
    id: 'answerDevice',
    action: 'account:manage',
    summary: 'Let a device act for the person, or not',
    fields: { user_code: UserCode, answer: Answer },
    async handle({ body, x }, services) {
      const person = personOf(x)
      const device = await foundDevice(body.user_code, x, services)
      const view = viewOf(x, services)
      const isAllowed = body.answer === 'allow'
      const isDone =
        device !== undefined && (await oauthOf(services).decideDevice(body.user_code, person, isAllowed))
      if (!isDone) return htmlReply(<EnterCode view={view} wrong={body.user_code} />)
      return htmlReply(<Answered view={view} isAllowed={isAllowed} />)
    },
  }),
]

/** Undefined: there is none with this code. Each wrong one counts. */
async function foundDevice(
  code: string,
  { address }: Exchange,
  services: WebServices,
): Promise<WaitingDevice | undefined> {
  refuseWaiting(services.codeGuesses, address)
  const device = await oauthOf(services).findDevice(code)
  if (device === undefined) services.codeGuesses.failed(address)
  return device
}

function EnterCode({ view, wrong }: { readonly view: View; readonly wrong: string }) {
  const isWrong = wrong !== ''
  return (
    <Layout view={view} title="Sign in a device" isAlone>
      <h1>Sign in a device</h1>
      <Card>
        <form method="get" action="/device" class="form">
          <Field
            id="user_code"
            label="Code"
            hint="Eight letters, as the device shows them."
            error={
              isWrong ? 'No device waits with this code. It may have expired: start again there.' : undefined
            }
          >
            <input
              type="text"
              id="user_code"
              name="user_code"
              value={wrong}
              required
              autofocus
              autocomplete="off"
              autocapitalize="characters"
              spellcheck={false}
              aria-invalid={isWrong ? 'true' : undefined}
              aria-describedby={isWrong ? 'user_code-hint user_code-error' : 'user_code-hint'}
            />
          </Field>
          <div>
            <button class="button primary" type="submit">
              Continue
            </button>
          </div>
        </form>
      </Card>
    </Layout>
  )
}

interface ConfirmProps {
  readonly view: View
  readonly code: string
  readonly device: WaitingDevice
  readonly person: string
}

function ConfirmDevice({ view, code, device, person }: ConfirmProps) {
  const { client, machine, address, requestedAt } = device
  return (
    <Layout view={view} title="Sign in a device" isAlone>
      <h1>
        Allow {client.label} on another computer to act as {person}?
      </h1>
      <Card>
        <dl class="keyed">
          <dt>Code</dt>
          <dd class="mono">{showUserCode(code.toUpperCase().replaceAll(/[\s-]/g, ''))}</dd>
          <dt>Program</dt>
          <dd>{client.label}</dd>
          {machine !== undefined && (
            <>
              <dt>Computer</dt>
              <dd>{machine} (as it calls itself)</dd>
            </>
          )}
          <dt>Asked from</dt>
          <dd class="mono">{address}</dd>
          <dt>Asked at</dt>
          <dd>
            <Time at={requestedAt} />
          </dd>
        </dl>
        <Notice kind="warn">
          <p>Continue only if you started this yourself and the other computer shows this code.</p>
        </Notice>
        <p>
          It gets a token with your rights. You can see it, and revoke it, under{' '}
          <a href="/account/tokens">your tokens</a>.
        </p>
        <Form view={view} action="/device">
          <input type="hidden" name="user_code" value={code} />
          <Answers />
        </Form>
      </Card>
    </Layout>
  )
}

function Answered({ view, isAllowed }: { readonly view: View; readonly isAllowed: boolean }) {
  const title = isAllowed ? 'Device signed in' : 'Denied'
  return (
    <Layout view={view} title={title} isAlone>
      <h1>{title}</h1>
      <Card>
        <p>
          {isAllowed
            ? 'Go back to the other computer. It continues within a few seconds.'
            : 'The other computer was not allowed to act for you, and got no token.'}
        </p>
      </Card>
    </Layout>
  )
}
