interface NavigationItem {
  readonly label: string
  readonly href: string
}

/** The side navigation, in groups. */
export const NAVIGATION: readonly (readonly NavigationItem[])[] = [
  [{ label: 'Start', href: '/' }],
  [
    { label: 'Your tokens', href: '/account/tokens' },
    { label: 'Your sessions', href: '/account/sessions' },
  ],
]
