import type { Exchange } from '../../kit/exchange.ts'
import type { RenderedError } from '../../kit/response/http-error.ts'
import { problemOf, problems } from '../../kit/response/problem.ts'
import { HTML_TYPE } from '../../kit/response/reply.ts'
import { ownPath, seeOther } from '../../kit/response/redirect.ts'
import type { WebServices } from '../services.ts'
import { Layout } from './layout.tsx'
import { renderDocument } from './render.ts'
import { type View, viewOf } from './view.ts'

/** Errors as pages. Without a sign-in, the way leads there and back to the same page. */
export function errorPages(error: unknown, requestId: string, x?: Exchange): RenderedError {
  const { status, headers } = problems(error, requestId)
  if (x === undefined) return problems(error, requestId)
  if (status === 401) {
    const to = `/sign-in?return_to=${encodeURIComponent(pageOf(x))}`
    // A script that wants a part of a page would put the sign-in page into its place.
    const isPart = x.req.headers['hx-request'] === 'true'
    return isPart ? { status, headers: { 'hx-redirect': to }, body: '' } : { ...seeOther(to), body: '' }
  }
  const view = viewOf(x, x.services as WebServices)
  return {
    status,
    headers: { ...headers, 'content-type': HTML_TYPE },
    body: renderDocument(<ErrorPage view={view} error={error} requestId={requestId} />),
  }
}

/** The page that was asked for, or that the form was on. */
function pageOf(x: Exchange): string {
  const { referer = '', host } = x.req.headers
  const around = x.req.headers['hx-current-url']?.toString()
  const isWhole = (x.method === 'GET' || x.method === 'HEAD') && around === undefined
  if (isWhole) return x.query === '' ? x.path : `${x.path}?${x.query}`
  const [, from, page] = /^https?:\/\/([^/]+)(\/.*)$/.exec(around ?? referer) ?? []
  return (from === host ? ownPath(page) : undefined) ?? '/'
}

interface ErrorPageProps {
  readonly view: View
  readonly error: unknown
  readonly requestId: string
}

function ErrorPage({ view, error, requestId }: ErrorPageProps) {
  const { title, status, detail, hint } = problemOf(error, requestId)
  return (
    <Layout view={view} title={title}>
      <h1>{title}</h1>
      <div class="grid">
        <section class="card">
          <p>{detail}</p>
          {hint !== undefined && <p>{hint}</p>}
          <p class="faint">
            Status {status}, request <code>{requestId}</code>
          </p>
          <p>
            <a href="/">Go to the start page</a>
          </p>
        </section>
      </div>
    </Layout>
  )
}
