import { type ProviderKind, type viewProvider } from '../../../../../access/index.ts'
import { sayPrincipal } from '../../../../../base/text/author.ts'
import { withQuery } from '../../shell/addresses.ts'
import type { Faults } from '../../shell/faults.ts'
import { Ago, Card } from '../../shell/parts.tsx'
import { type Column, DataTable, ListFooter, pageOf } from '../../shell/table.tsx'
import type { View } from '../../shell/view.ts'
import { ServerFrame } from '../frame.tsx'
import type { ProviderInput } from './provider-fields.ts'
import { ProviderForm } from './provider-form.tsx'
import { CallbackAddress, KIND_WORDS, providerPath } from './provider-page.tsx'

export const PROVIDER_KINDS = ['oidc', 'github', 'saml'] as const satisfies readonly ProviderKind[]
const PATH = '/server/providers'

type Listed = ReturnType<typeof viewProvider>

export const providerColumns = ({ now }: View): readonly Column<Listed>[] => [
  {
    name: 'id',
    label: 'Provider',
    cell: ({ id, label }) => (
      <>
        <a href={providerPath(id)}>{id}</a>
        <div class="faint">{label}</div>
      </>
    ),
    value: ({ id }) => id,
  },
  { name: 'kind', label: 'Kind', cell: ({ kind }) => KIND_WORDS[kind] ?? kind, value: ({ kind }) => kind },
  {
    name: 'changedAt',
    label: 'Changed',
    cell: ({ changedAt, changedBy }) => (
      <>
        <Ago at={changedAt} now={now} /> <span class="faint">by {sayPrincipal(changedBy)}</span>
      </>
    ),
    value: ({ changedAt }) => changedAt,
  },
]

interface ProvidersPageProps {
  readonly view: View
  readonly providers: readonly Listed[]
  /** Given: with the form for a new one of this kind. */
  readonly kind?: ProviderKind | undefined
  readonly input: ProviderInput
  readonly faults: Faults
  readonly publicUrl: string | undefined
}

export function ProvidersPage({ view, providers, kind, input, faults, publicUrl }: ProvidersPageProps) {
  const { items, paging } = pageOf(providers, 1, 1_000)
  return (
    <ServerFrame
      view={view}
      tab="Sign-in providers"
      command={kind === undefined ? 'taco provider ls' : 'taco provider put okta --file okta.json'}
      side={
        <Card title="Add a provider">
          <ul class="units">
            {PROVIDER_KINDS.map((one) => (
              <li>
                <a href={withQuery(PATH, { kind: one })} aria-current={one === kind ? 'page' : undefined}>
                  {KIND_WORDS[one]}
                </a>
              </li>
            ))}
          </ul>
        </Card>
      }
    >
      <Card title="Sign-in providers">
        {providers.length === 0 ? (
          <p class="muted">No one can sign in yet. Add a provider.</p>
        ) : (
          <DataTable
            path={PATH}
            caption="Sign-in providers"
            columns={providerColumns(view)}
            items={items}
            hrefOf={({ id }) => providerPath(id)}
          />
        )}
        <ListFooter path={PATH} paging={paging} />
      </Card>
      {kind !== undefined && (
        <Card title={`Add ${KIND_WORDS[kind]}`}>
          <CallbackAddress publicUrl={publicUrl} id={input['id'] || '<id>'} kind={kind} />
          <ProviderForm view={view} action={PATH} kind={kind} input={input} faults={faults} />
        </Card>
      )}
    </ServerFrame>
  )
}
