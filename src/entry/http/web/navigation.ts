import type { View } from './view.ts'

interface NavigationItem {
  readonly label: string
  readonly href: string
}

const ACCOUNT: readonly NavigationItem[] = [
  { label: 'Your tokens', href: '/account/tokens' },
  { label: 'Your sessions', href: '/account/sessions' },
]

/** The side navigation, in groups: only what there is for this person. */
export function navigationOf({ hasSession }: View): readonly (readonly NavigationItem[])[] {
  return [[{ label: 'Start', href: '/' }], ...(hasSession ? [ACCOUNT] : [])]
}
