import { principalText } from '../../../access/index.ts'
import type { Exchange } from '../kit/exchange.ts'
import { csrfToken } from './csrf.ts'
import type { WebServices } from './services.ts'
import { type Theme, themeOf } from './theme.ts'

/** What every page shows around its content. */
export interface View {
  readonly theme: Theme
  /** For every form. */
  readonly csrf: string
  /** Of this page, with its query. */
  readonly path: string
  /** Undefined: before sign-in. */
  readonly person: string | undefined
  /** True: the person signed in, and can sign out. */
  readonly hasSession: boolean
  /** Where the states are. Shown to those who are signed in. */
  readonly bucket: string
  pathOf(asset: string): string
}

export function viewOf(x: Exchange, { cookies, assets, about }: WebServices): View {
  const { principal } = x
  const isStranger = principal.kind === 'anonymous' && !principal.isOpenServer
  return {
    theme: themeOf(x, cookies),
    csrf: csrfToken(x, cookies),
    path: x.query === '' ? x.path : `${x.path}?${x.query}`,
    person: isStranger ? undefined : principal.kind === 'user' ? principal.name : principalText(principal),
    hasSession: x.session !== undefined,
    bucket: about.bucket.label,
    pathOf: assets.pathOf,
  }
}
