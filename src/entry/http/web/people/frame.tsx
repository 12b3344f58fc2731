import type { Child } from 'hono/jsx'
import type { Action } from '../../../../access/index.ts'
import { withQuery } from '../shell/addresses.ts'
import { Layout } from '../shell/layout.tsx'
import { Command, Split, Tabs } from '../shell/parts.tsx'
import type { OrgView } from '../shell/view.ts'

/** The lists of `/people`, then the pages beside it. */
export const PEOPLE_LISTS = ['members', 'teams', 'grants', 'roles'] as const
export type PeopleList = (typeof PEOPLE_LISTS)[number]
type PeopleTab = PeopleList | 'tokens' | 'workloads' | 'guards'

const TABS: readonly { readonly tab: PeopleTab; readonly label: string; readonly action: Action }[] = [
  { tab: 'members', label: 'Members', action: 'access:read' },
  { tab: 'teams', label: 'Teams', action: 'access:read' },
  { tab: 'grants', label: 'Roles given', action: 'access:read' },
  { tab: 'roles', label: 'Roles', action: 'access:read' },
  { tab: 'tokens', label: 'Tokens', action: 'token:manage' },
  { tab: 'workloads', label: 'Workloads', action: 'access:read' },
  { tab: 'guards', label: 'Guards', action: 'org:read' },
]

export function peoplePath({ org }: Pick<OrgView, 'org'>, tab: PeopleTab): string {
  const path = `${org.base}/people`
  if (tab === 'members') return path
  return PEOPLE_LISTS.some((one) => one === tab) ? withQuery(path, { tab }) : `${path}/${tab}`
}

export const teamPath = ({ org }: Pick<OrgView, 'org'>, team: string) =>
  `${org.base}/people/teams/${encodeURIComponent(team)}`
export const rolePath = ({ org }: Pick<OrgView, 'org'>, role: string) =>
  `${org.base}/people/roles/${encodeURIComponent(role)}`

interface PeopleFrameProps {
  readonly view: OrgView
  readonly tab: PeopleTab
  /** Of a page below a tab, such as a team. */
  readonly title?: string
  readonly counts?: Partial<Readonly<Record<PeopleTab, number>>>
  /** Undefined: the list has the whole width. */
  readonly side?: Child
  /** The main thing to do, beside the heading. */
  readonly action?: Child
  readonly command: string
  readonly children?: Child
}

/** Who may do what in an organization: tabs for those who may see them. */
export function PeopleFrame(props: PeopleFrameProps) {
  const { view, tab, title, counts = {}, side, action, command, children } = props
  const { label = '' } = TABS.find((one) => one.tab === tab) ?? {}
  return (
    <Layout view={view} title={title === undefined ? `People: ${label}` : `${title} · ${label}`}>
      {title === undefined ? (
        <div class="bar">
          <h1>People</h1>
          {action}
        </div>
      ) : (
        <>
          <nav class="crumbs" aria-label="Path">
            <a href={peoplePath(view, tab)}>{label}</a> /
          </nav>
          <h1>{title}</h1>
        </>
      )}
      <Tabs
        label="People"
        tabs={TABS.filter(({ action }) => view.may(action)).map((one) => ({
          label: one.label,
          href: peoplePath(view, one.tab),
          isCurrent: one.tab === tab,
          count: counts[one.tab],
        }))}
      />
      {side === undefined ? (
        <div class="grid">
          {children}
          <Command>{command}</Command>
        </div>
      ) : (
        <Split
          side={
            <>
              {side}
              <Command>{command}</Command>
            </>
          }
        >
          {children}
        </Split>
      )}
    </Layout>
  )
}
