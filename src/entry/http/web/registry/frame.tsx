import type { Child } from 'hono/jsx'
import { Layout } from '../shell/layout.tsx'
import { Tabs } from '../shell/parts.tsx'
import type { OrgView } from '../shell/view.ts'

const TABS = [
  { tab: 'modules', label: 'Modules', path: '' },
  { tab: 'providers', label: 'Providers', path: '/providers' },
  { tab: 'keys', label: 'Signing keys', path: '/keys' },
  { tab: 'mirror', label: 'Mirror', path: '/mirror' },
] as const

interface RegistryFrameProps {
  readonly view: OrgView
  readonly tab: (typeof TABS)[number]['tab']
  /** The main action of the page. */
  readonly action?: Child
  readonly children?: Child
}

/** The frame of the lists of the registry. */
export function RegistryFrame({ view, tab, action, children }: RegistryFrameProps) {
  const base = registryPath(view)
  const current = TABS.find((one) => one.tab === tab)
  return (
    <Layout view={view} title={tab === 'modules' ? 'Registry' : `${current?.label ?? ''} of the registry`}>
      <div class="bar">
        <h1>Registry</h1>
        {action !== undefined && <div class="bar end">{action}</div>}
      </div>
      <Tabs
        label="Registry"
        tabs={TABS.map((one) => ({
          label: one.label,
          href: `${base}${one.path}`,
          isCurrent: one.tab === tab,
        }))}
      />
      {children}
    </Layout>
  )
}

interface ItemFrameProps {
  readonly view: OrgView
  readonly title: string
  /** The list that it is in. */
  readonly list: { readonly label: string; readonly path: string }
  /** Beside the title. */
  readonly chips?: Child
  readonly summary?: string | undefined
  readonly children?: Child
}

/** The frame of one module or provider: the way to it, and its name. */
export function ItemFrame({ view, title, list, chips, summary = '', children }: ItemFrameProps) {
  const base = registryPath(view)
  return (
    <Layout view={view} title={title}>
      <nav class="crumbs" aria-label="Path">
        <a href={base}>Registry</a> / <a href={`${base}${list.path}`}>{list.label}</a> /
      </nav>
      <div class="bar">
        <h1 class="wraps">{title}</h1>
        {chips}
      </div>
      {summary !== '' && <p class="muted">{summary}</p>}
      {children}
    </Layout>
  )
}

export const registryPath = ({ org }: OrgView) => `${org.base}/registry`

export function modulePath(view: OrgView, { name, provider }: { name: string; provider: string }): string {
  return `${registryPath(view)}/modules/${encodeURIComponent(name)}/${encodeURIComponent(provider)}`
}

export function providerPath(view: OrgView, { name }: { name: string }): string {
  return `${registryPath(view)}/providers/${encodeURIComponent(name)}`
}
