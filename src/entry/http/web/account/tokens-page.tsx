import type { TokenView } from '../../../../access/index.ts'
import { matchingLines } from '../shell/command-line.ts'
import { ConfirmRow } from '../shell/confirm.tsx'
import { Form, Layout } from '../shell/layout.tsx'
import { type Arranged, List } from '../shell/list.tsx'
import { Card, Command, Notice, CopiedText } from '../shell/parts.tsx'
import type { Column } from '../shell/table.tsx'
import type { View } from '../shell/view.ts'
import { tokenColumns } from './token-columns.tsx'
import { TokenNameField, TokenScopeFields } from './token-fields.tsx'
import { EXPIRY_DAYS, type TokenInput } from './token-form.ts'

interface TokensPageProps {
  readonly view: View
  readonly list: Arranged<TokenView>
  readonly created?: { readonly token: TokenView; readonly text: string } | undefined
  readonly input?: TokenInput | undefined
  readonly faults?: Readonly<Record<string, string>> | undefined
  /** Opened by the login command of an engine. */
  readonly isForCli?: boolean | undefined
}

const PATH = '/account/tokens'

export function TokensPage(props: TokensPageProps) {
  const { view, list, created, input, faults, isForCli = false } = props
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
            <CopiedText>{created.text}</CopiedText>
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
          <List
            path={PATH}
            caption="Your tokens"
            list={list}
            actions={[revokeColumn(view)]}
            empty="You have no tokens."
          />
        </Card>
        <Command>{matchingLines('taco token ls', list.asked.search ?? '')}</Command>
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

const DAYS = EXPIRY_DAYS.map((days) => [days, `${days} days`] as const)

function TokenForm({ view, input, faults, isForCli }: TokenFormProps) {
  const shown = input ?? { name: isForCli ? 'terraform login' : '' }
  return (
    <Form view={view} action="/account/tokens" class="form" isOnce>
      <TokenNameField input={shown} faults={faults} />
      <TokenScopeFields input={shown} faults={faults} days={DAYS} whose="you" />
      <div>
        <button class="button primary" type="submit">
          Create token
        </button>
      </div>
    </Form>
  )
}

/** Of your tokens, as a list and in exports. */
export const ownTokenColumns = (now: number) => tokenColumns(() => 'everything that you may do', now)

function revokeColumn(view: View): Column<TokenView> {
  return {
    name: 'revoke',
    label: 'Revoke',
    cell: ({ id, name, status }) =>
      status === 'active' && (
        <ConfirmRow view={view} action="/account/tokens/revoke" label="Revoke" button={`Revoke ${name}`}>
          <input type="hidden" name="token" value={id} />
          <p>Programs that use it are refused within seconds.</p>
        </ConfirmRow>
      ),
    value: () => null,
  }
}
