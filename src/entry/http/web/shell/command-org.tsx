import { type Child, createContext, useContext } from 'hono/jsx'
import type { View } from './view.ts'

/** The organization whose page is rendered: the commands that it shows are about that one. */
const PageOrg = createContext<string | undefined>(undefined)

/** Around every page, and around every part of one that is rendered by itself. */
export function InOrg({ view, children }: { readonly view: Pick<View, 'org'>; readonly children?: Child }) {
  return <PageOrg.Provider value={view.org?.name}>{children}</PageOrg.Provider>
}

export function usePageOrg(): string | undefined {
  return useContext(PageOrg)
}

/** They are about the server, or name the organization themselves. */
const WITHOUT_ORG = /^taco (serve|server|provider|person|login|org|tls|secret-key)\b|\s--org\s/

/** The command as it has to be typed for the organization: `default` is what commands take by themselves. Pure. */
export function commandFor(org: string | undefined, command: string): string {
  if (org === undefined || org === 'default') return command
  if (!command.startsWith('taco ') || WITHOUT_ORG.test(command)) return command
  // What is quoted may have a pipe in it.
  const own = /^(?:\\.|'[^']*'|[^'\\])*?(?= \| |$)/.exec(command)?.[0] ?? command
  return `${own} --org ${org}${command.slice(own.length)}`
}
