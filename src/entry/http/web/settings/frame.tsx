import type { Child } from 'hono/jsx'
import type { Action } from '../../../../access/index.ts'
import { Layout } from '../shell/layout.tsx'
import { Tabs } from '../shell/parts.tsx'
import type { OrgView } from '../shell/view.ts'

interface TabPlace {
  readonly label: string
  /** After the address of the settings. Undefined: the settings themselves. */
  readonly tab?: string
  /** Shown to those who may do this in the organization. */
  readonly action: Action
}

/** The pages of the settings. A page that is added gets its line here. */
const TABS: readonly TabPlace[] = [
  { label: 'General', action: 'org:read' },
  { label: 'Projects', tab: 'projects', action: 'org:read' },
  { label: 'Retention', tab: 'retention', action: 'org:read' },
  { label: 'Notifications', tab: 'notifications', action: 'notification:read' },
  { label: 'Usage', tab: 'usage', action: 'org:read' },
  { label: 'Health', tab: 'health', action: 'org:admin' },
]

interface SettingsFrameProps {
  readonly view: OrgView
  /** The tab that the page belongs to. Undefined: General. */
  readonly tab?: string
  /** Undefined: the name of the tab. */
  readonly title?: string
  /** Beside the heading. */
  readonly actions?: Child
  readonly scripts?: readonly string[]
  /** Given: the page follows what happens; see `Layout`. */
  readonly live?: string
  readonly children?: Child
}

/** The frame of all settings of an organization: the heading and the tabs. */
export function SettingsFrame({ view, tab, title, actions, children, ...rest }: SettingsFrameProps) {
  const current = TABS.find((one) => one.tab === tab)
  return (
    <Layout view={view} title={`${title ?? current?.label ?? ''} · Settings`} {...rest}>
      <div class="bar">
        <h1>Settings</h1>
        {actions !== undefined && <div class="bar end">{actions}</div>}
      </div>
      <Tabs
        label="Settings"
        tabs={TABS.filter(({ action }) => view.may(action)).map((one) => ({
          label: one.label,
          href: settingsPath(view, one.tab),
          isCurrent: one.tab === tab,
        }))}
      />
      {children}
    </Layout>
  )
}

export function settingsPath({ org }: OrgView, tab?: string): string {
  return tab === undefined ? `${org.base}/settings` : `${org.base}/settings/${tab}`
}
