import { sayPrincipal } from '../../../../base/text/author.ts'
import { bytes } from '../../../../base/text/bytes.ts'
import {
  type GpgKey,
  type ProviderPlatform,
  type ProviderRecord,
  type ProviderVersion,
  installable,
} from '../../../../registry/index.ts'
import { withQuery } from '../shell/addresses.ts'
import { shell } from '../shell/command-line.ts'
import { Confirm, confirmId } from '../shell/confirm.tsx'
import type { Faults } from '../shell/faults.ts'
import { Ago, Card, Command, Empty, Notice, Split } from '../shell/parts.tsx'
import { type Column, DataTable, ListFooter, pageOf } from '../shell/table.tsx'
import type { OrgView } from '../shell/view.ts'
import { ItemFrame, providerPath, registryPath } from './frame.tsx'
import { type RegistryHost, UseCard, providerBlock } from './use-blocks.tsx'

const PAGE_SIZE = 50

export interface ProviderShown {
  readonly view: OrgView
  readonly now: number
  readonly at: RegistryHost
  readonly provider: ProviderRecord
  /** Newest first. */
  readonly versions: readonly ProviderVersion[]
  /** Undefined: there is none. */
  readonly version: ProviderVersion | undefined
  /** The key that signs the version. Undefined: it was deleted. */
  readonly signer: GpgKey | undefined
  readonly page: number
  readonly faults?: Faults
}

export const PLATFORM_COLUMNS: readonly Column<ProviderPlatform>[] = [
  {
    name: 'platform',
    label: 'Platform',
    cell: ({ os, arch, file }) => (
      <>
        <span class="mono nowrap">
          {os}_{arch}
        </span>{' '}
        {file === undefined && <span class="chip warn">file not uploaded</span>}
      </>
    ),
    value: ({ os, arch }) => `${os}_${arch}`,
  },
  {
    name: 'file',
    label: 'File',
    cell: ({ filename }) => <span class="mono wraps">{filename}</span>,
    value: ({ filename }) => filename,
  },
  {
    name: 'bytes',
    label: 'Size',
    isNumber: true,
    cell: ({ file }) => file && <span class="nowrap">{bytes(file.size)}</span>,
    value: ({ file }) => file?.size ?? null,
  },
  {
    name: 'sha256',
    label: 'SHA-256',
    cell: ({ shasum }) => <span class="mono faint wraps">{shasum}</span>,
    value: ({ shasum }) => shasum,
  },
]

export function ProviderPage(shown: ProviderShown) {
  const { view, at, provider, version, faults } = shown
  return (
    <ItemFrame
      view={view}
      title={provider.name}
      list={{ label: 'Providers', path: '/providers' }}
      chips={version !== undefined && <span class="chip mono">{version.version}</span>}
    >
      <Split
        side={
          <>
            {version !== undefined && (
              <UseCard at={at} block={providerBlock(at, { name: provider.name, version: version.version })} />
            )}
            {version !== undefined && <Facts {...shown} version={version} />}
            {view.may('registry:publish') && (
              <Card title="Publish a version">
                <p class="muted">
                  From the folder that GoReleaser writes: a zip file for each platform,{' '}
                  <code>SHA256SUMS</code> and its signature.
                </p>
                <Command>{shell`taco registry provider publish ${provider.name} 1.0.0 ./dist --key key.asc`}</Command>
              </Card>
            )}
            <Command>{shell`taco registry provider show ${provider.name}`}</Command>
          </>
        }
      >
        {version === undefined ? (
          <Empty title="No version yet">
            <p>The provider exists, but no version of it was published.</p>
          </Empty>
        ) : (
          <>
            <Missing {...shown} version={version} />
            <Card title={`Platforms of ${version.version}`}>
              {version.platforms.length === 0 ? (
                <p class="muted">No package was uploaded yet.</p>
              ) : (
                <DataTable
                  path={view.path}
                  caption="Platforms"
                  columns={PLATFORM_COLUMNS}
                  items={version.platforms}
                />
              )}
            </Card>
            <Versions {...shown} />
          </>
        )}
        {view.may('registry:publish') && (
          <Card title="Delete">
            <Confirm
              view={view}
              action={`${providerPath(view, provider)}/delete`}
              label="Delete the provider"
              word={provider.name}
              id={confirmId(provider.name)}
              faults={faults}
            >
              <p>
                All versions are deleted. Code that requires the provider cannot be initialized again. This
                cannot be undone.
              </p>
            </Confirm>
          </Card>
        )}
      </Split>
    </ItemFrame>
  )
}

/** Why engines cannot install it, or not everywhere. */
function Missing({ version, signer }: ProviderShown & { readonly version: ProviderVersion }) {
  const missing = [
    ...(version.shasums === undefined ? ['SHA256SUMS'] : []),
    ...(version.signature === undefined ? ['the signature of SHA256SUMS'] : []),
    ...(version.platforms.some(({ file }) => file !== undefined) ? [] : ['a package']),
    ...(signer === undefined ? [`the public key ${version.keyId}, which was deleted`] : []),
  ]
  if (missing.length === 0) return null
  return (
    <Notice kind="warn">
      <p>
        Engines cannot install {version.version} yet. It lacks {missing.join(', ')}.
      </p>
    </Notice>
  )
}

function Facts({ view, now, version, signer }: ProviderShown & { readonly version: ProviderVersion }) {
  return (
    <Card title="Version">
      <dl class="keyed">
        <dt>Published</dt>
        <dd>
          <Ago at={version.updatedAt} now={now} />
        </dd>
        <dt>By</dt>
        <dd class="wraps">{sayPrincipal(version.createdBy)}</dd>
        <dt>Protocols</dt>
        <dd class="mono">{version.protocols.join(', ')}</dd>
        <dt>Signed with</dt>
        <dd>
          <a class="mono" href={`${registryPath(view)}/keys`}>
            {version.keyId}
          </a>
          {signer === undefined && ' (deleted)'}
        </dd>
      </dl>
    </Card>
  )
}

function versionColumns({ view, provider, now, faults }: ProviderShown): readonly Column<ProviderVersion>[] {
  const path = providerPath(view, provider)
  return [
    {
      name: 'version',
      label: 'Version',
      cell: (one) => (
        <>
          <a class="mono" href={withQuery(path, { version: one.version })}>
            {one.version}
          </a>{' '}
          {installable(one).length === 0 && <span class="chip warn">incomplete</span>}
        </>
      ),
      value: ({ version }) => version,
    },
    {
      name: 'platforms',
      label: 'Platforms',
      isNumber: true,
      cell: (one) => installable(one).length,
      value: (one) => installable(one).length,
    },
    {
      name: 'publishedAt',
      label: 'Published',
      cell: ({ updatedAt }) => <Ago at={updatedAt} now={now} />,
      value: ({ updatedAt }) => new Date(updatedAt).toISOString(),
    },
    {
      name: 'by',
      label: 'By',
      cell: ({ createdBy }) => sayPrincipal(createdBy),
      value: ({ createdBy }) => createdBy,
    },
    ...(view.may('registry:publish')
      ? [
          {
            name: 'delete',
            label: 'Delete',
            cell: ({ version }: ProviderVersion) => (
              <Confirm
                view={view}
                action={`${path}/versions/${encodeURIComponent(version)}/delete`}
                label={`Delete ${version}`}
                word={version}
                id={confirmId(version)}
                faults={faults}
              >
                <p>Code that is pinned to this version cannot be initialized again.</p>
              </Confirm>
            ),
            value: () => null,
          },
        ]
      : []),
  ]
}

function Versions(shown: ProviderShown) {
  const { view, versions, page } = shown
  const { items, paging } = pageOf(versions, page, PAGE_SIZE)
  return (
    <Card title="Versions">
      <DataTable path={view.path} caption="Versions" columns={versionColumns(shown)} items={items} />
      <ListFooter path={view.path} paging={paging} />
    </Card>
  )
}
