import type { Child } from 'hono/jsx'
import { Layout } from '../shell/layout.tsx'
import { Command, Split, Tabs } from '../shell/parts.tsx'
import type { View } from '../shell/view.ts'

const TABS = [
  ['Settings', '/server'],
  ['Sign-in providers', '/server/providers'],
  ['People', '/server/people'],
] as const

interface ServerFrameProps {
  readonly view: View
  readonly tab: (typeof TABS)[number][0]
  /** Of a page below a tab, such as a person. */
  readonly title?: string
  readonly side?: Child
  readonly command: string
  readonly children?: Child
}

/** What concerns the whole server, whichever organizations there are. */
export function ServerFrame({ view, tab, title, side, command, children }: ServerFrameProps) {
  return (
    <Layout view={view} title={title === undefined ? `Server: ${tab}` : `${title} · ${tab}`}>
      {title === undefined ? (
        <h1>Server</h1>
      ) : (
        <>
          <nav class="crumbs" aria-label="Path">
            <a href={TABS.find(([label]) => label === tab)?.[1]}>{tab}</a> /
          </nav>
          <h1>{title}</h1>
        </>
      )}
      <Tabs label="Server" tabs={TABS.map(([label, href]) => ({ label, href, isCurrent: label === tab }))} />
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
    </Layout>
  )
}
