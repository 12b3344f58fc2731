import type { Exchange } from '../../kit/exchange.ts'
import type { ResourceObject } from '../kit/json-api.ts'
import { type PageQuery, listed, paged } from '../kit/paging.ts'

/**
 * All variables, unless a page is asked for: the command lines ask once, without naming a page, and take what they get
 * for all of them.
 */
export function wholeList(all: readonly ResourceObject[], query: PageQuery, x: Exchange) {
  const asked = new URLSearchParams(x.query)
  const isPaged = asked.has('page[number]') || asked.has('page[size]')
  const whole = { 'page[number]': 1, 'page[size]': Math.max(1, all.length) }
  return listed(paged(all, isPaged ? query : whole, x))
}
