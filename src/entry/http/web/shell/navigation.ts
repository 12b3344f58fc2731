import type { Action } from '../../../../access/index.ts'

export interface NavigationItem {
  readonly label: string
  readonly href: string
  /** `g` and then this key leads here. */
  readonly key?: string | undefined
  /** Of what is there, where it is known without asking the bucket. Asked when the page is shown. */
  readonly count?: (() => number | undefined) | undefined
}

/** In groups. */
export type Navigation = readonly (readonly NavigationItem[])[]

interface Place {
  readonly label: string
  /** After `/app/<org>`. */
  readonly path: string
  /** Shown to those who may do this, at least on some units. */
  readonly action: Action
  /** True: a right on some units is not enough. */
  readonly isWhole?: true
  readonly key?: string
}

/**
 * The places of an organization. A page that is added gets its line here; there is no line without a page. The order is
 * Estate, Runs, Rollouts, Activity · Variables, Registry · People, Audit, Settings.
 */
const PLACES: readonly (readonly Place[])[] = [
  [
    { label: 'Estate', path: '', action: 'graph:read', key: 'e' },
    { label: 'Rollouts', path: '/rollouts', action: 'rollout:read', key: 'r' },
    { label: 'Activity', path: '/activity', action: 'events:read', key: 'a' },
  ],
  [
    { label: 'Variables', path: '/variables', action: 'vars:read', key: 'v' },
    { label: 'Registry', path: '/registry', action: 'registry:read', isWhole: true, key: 'm' },
  ],
  [
    { label: 'People', path: '/people', action: 'access:read', isWhole: true, key: 'p' },
    { label: 'Audit', path: '/audit', action: 'audit:read', isWhole: true },
    { label: 'Settings', path: '/settings', action: 'org:read', isWhole: true, key: 's' },
  ],
]

/** Only what there is for this person. */
export async function orgNavigation(
  base: string,
  may: (action: Action, isWhole: boolean) => Promise<boolean>,
  /** By label. */
  counts: Readonly<Record<string, () => number | undefined>> = {},
): Promise<Navigation> {
  const groups = await Promise.all(
    PLACES.map(async (places) => {
      const allowed = await Promise.all(places.map(({ action, isWhole = false }) => may(action, isWhole)))
      return places
        .filter((_, at) => allowed[at])
        .map(({ label, path, key }) => ({ label, href: base + path, key, count: counts[label] }))
    }),
  )
  return groups.filter((group) => group.length > 0)
}

const ACCOUNT: readonly NavigationItem[] = [
  { label: 'Your tokens', href: '/account/tokens' },
  { label: 'Your sessions', href: '/account/sessions' },
]

const SERVER: readonly NavigationItem[] = [{ label: 'Server', href: '/server' }]

/** Of pages that belong to no organization. */
export function accountNavigation({
  hasSession,
  isAdministrator = false,
}: {
  readonly hasSession: boolean
  readonly isAdministrator?: boolean
}): Navigation {
  return [
    [{ label: 'Organizations', href: '/app' }],
    ...(hasSession ? [ACCOUNT] : []),
    ...(isAdministrator ? [SERVER] : []),
  ]
}
