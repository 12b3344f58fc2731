import type { Cookies } from '../../kit/cookies.ts'
import type { Exchange } from '../../kit/exchange.ts'

export const THEMES = ['auto', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const COOKIE = 'taco-theme'

export function themeOf(x: Exchange, cookies: Cookies): Theme {
  const chosen = cookies.read(x.req.headers, COOKIE)
  return THEMES.find((theme) => theme === chosen) ?? 'auto'
}

export function chooseTheme(x: Exchange, cookies: Cookies, theme: Theme): void {
  if (theme === 'auto') cookies.clear(x, COOKIE)
  else cookies.set(x, COOKIE, theme, { maxAgeSeconds: 365 * 86_400 })
}
