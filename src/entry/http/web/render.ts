import type { HtmlEscapedString } from 'hono/utils/html'
import { HTML_TYPE, type ReplyHeaders } from '../kit/response/reply.ts'

/** What JSX gives. A promise only for components that are asynchronous. */
type Page = HtmlEscapedString | Promise<HtmlEscapedString>

/** No component is asynchronous: handlers get everything first, so that a failure is still an error page. */
export function renderDocument(page: Page): string {
  if (page instanceof Promise) throw new Error('a component is asynchronous')
  return `<!doctype html>${page.toString()}`
}

export function htmlReply(page: Page, headers: ReplyHeaders = {}) {
  return { status: 200, type: HTML_TYPE, text: renderDocument(page), headers } as const
}
