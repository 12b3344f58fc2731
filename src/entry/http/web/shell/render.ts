import type { HtmlEscapedString } from 'hono/utils/html'
import { HTML_TYPE } from '../../kit/response/reply.ts'

/** What JSX gives. A promise only for components that are asynchronous. */
type Page = HtmlEscapedString | Promise<HtmlEscapedString>

/** Beside errors, which have a page of their own. */
export type PageStatus = 200 | 400 | 401 | 403 | 404 | 409 | 412 | 502 | 503

type PageReply = {
  [S in PageStatus]: { readonly status: S; readonly type: string; readonly text: string }
}[PageStatus]

/** No component is asynchronous: handlers get everything first, so that a failure is still an error page. */
export function renderDocument(page: Page): string {
  if (page instanceof Promise) throw new Error('a component is asynchronous')
  return `<!doctype html>${page.toString()}`
}

/** A part of a page, for scripts that put it into place. */
export function partReply(part: Page): {
  readonly status: 200
  readonly type: string
  readonly text: string
} {
  return { status: 200, type: HTML_TYPE, text: renderPart(part) }
}

export function renderPart(part: Page): string {
  return renderDocument(part).replace('<!doctype html>', '')
}

export function htmlReply(page: Page, status: PageStatus = 200): PageReply {
  return { status, type: HTML_TYPE, text: renderDocument(page) } as PageReply
}
