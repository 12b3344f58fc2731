import { isTacoError } from '../../../../base/errors.ts'
import type { Exchange } from '../../kit/exchange.ts'
import type { RenderedError } from '../../kit/response/http-error.ts'
import { problemOf, problems } from '../../kit/response/problem.ts'
import { HTML_TYPE } from '../../kit/response/reply.ts'
import { ownPath, seeOther } from '../../kit/response/redirect.ts'
import { forgetRefused, pageInstead } from '../kept-pages.ts'
import type { LastPage } from '../last-pages.ts'
import type { WebServices } from '../services.ts'
import { withQuery } from './addresses.ts'
import { Layout } from './layout.tsx'
import { Card, Notice, Time, WithCode } from './parts.tsx'
import { renderDocument, renderPart } from './render.ts'
import { type View, orgViewOfError, viewOf } from './view.ts'

/** A page inside the organization is not worth a longer wait for a bucket that may not answer at all. */
const PATIENCE_MS = 2_000

/** An error as a page of the organization that it is about, with its navigation. */
export async function errorPage(error: unknown, requestId: string, x: Exchange): Promise<RenderedError> {
  const services = x.services as WebServices
  const { status } = problems(error, requestId)
  const last = pageInstead(error, x, services)
  if (last !== undefined) return shownAgain(last, problems(error, requestId))
  if (status === 403 || status === 404) forgetRefused(x, services)
  const isAlone = status === 401 || status === 405 || isPart(x)
  const view = isAlone ? undefined : await soon(orgViewOfError(x, services), services)
  return view === undefined ? plainErrorPage(error, requestId, x) : rendered(view, error, x)
}

/** The page as it was, marked. */
function shownAgain({ html, at }: LastPage, { status, headers }: RenderedError): RenderedError {
  const mark = renderPart(
    <Notice kind="fail">
      <p>
        The bucket does not answer. This is the page as it was at <Time at={at} />. Changes are refused until
        it answers again.
      </p>
    </Notice>,
  )
  const body = html.replace(/<main [^>]*>/, (main) => main + mark)
  return { status, headers: { ...headers, 'content-type': HTML_TYPE }, body }
}

/** Undefined: it took too long, or it failed. */
async function soon<T>(asking: Promise<T>, { clock }: WebServices): Promise<T | undefined> {
  const waiting = new AbortController()
  const late = clock.sleep(PATIENCE_MS, waiting.signal).then(
    () => undefined,
    () => undefined,
  )
  try {
    return await Promise.race([asking.catch(() => undefined), late])
  } finally {
    waiting.abort()
  }
}

/** An error as a page outside organizations. Without a sign-in, the way leads there and back to the same page. */
export function plainErrorPage(error: unknown, requestId: string, x?: Exchange): RenderedError {
  const problem = problems(error, requestId)
  if (x === undefined) return problem
  const { status, headers } = problem
  if (status === 405 && isRead(x)) return { ...seeOther(pageAbove(x)), body: '' }
  if (status === 401) {
    const to = withQuery('/sign-in', { return_to: pageOf(x), unsent: isRead(x) ? undefined : 'yes' })
    // A script that wants a part of a page would put the sign-in page into its place.
    return isPart(x) ? { status, headers: { 'hx-redirect': to }, body: '' } : { ...seeOther(to), body: '' }
  }
  // A part that cannot be renewed stays as it is.
  if (isPart(x)) return { status, headers: { ...headers, 'hx-reswap': 'none' }, body: '' }
  return rendered(viewOf(x, x.services as WebServices), error, x)
}

function isPart({ req }: Exchange): boolean {
  return req.headers['hx-request'] === 'true'
}

function rendered(view: View, error: unknown, x: Exchange): RenderedError {
  const { requestId } = x
  // The page that the form was on. With JavaScript, what was typed is there again.
  const back = x.method === 'POST' ? pageOf(x) : undefined
  const { status, headers } = problems(error, requestId)
  return {
    status,
    headers: { ...headers, 'content-type': HTML_TYPE },
    body: renderDocument(
      <ErrorPage
        view={view}
        error={error}
        requestId={requestId}
        back={back}
        estate={estateOf(view, x, status)}
      />,
    ),
  }
}

/** After a mistake in a form, browsers show the address of the form. To read, there is the page that it belongs to. */
function pageAbove({ path, services }: Exchange): string {
  const { hasPage } = services as WebServices
  let above = path
  do above = above.slice(0, above.lastIndexOf('/'))
  while (above !== '' && !hasPage(above))
  return above === '' ? '/' : above
}

function isRead({ method }: Exchange): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** The page that was asked for, or that the form was on. */
function pageOf(x: Exchange): string {
  const { referer = '', host } = x.req.headers
  const around = x.req.headers['hx-current-url']?.toString()
  const isWhole = isRead(x) && around === undefined
  if (isWhole) return x.query === '' ? x.path : `${x.path}?${x.query}`
  const [, from, page] = /^https?:\/\/([^/]+)(\/.*)$/.exec(around ?? referer) ?? []
  return (from === host ? ownPath(page) : undefined) ?? '/'
}

/** While the bucket does not answer, the estate may still be shown as it was, though the organization cannot be read. */
function estateOf({ org }: View, { path }: Exchange, status: number): string | undefined {
  return org?.base ?? (status === 503 ? /^\/app\/[^/]+/.exec(path)?.[0] : undefined)
}

interface ErrorPageProps {
  readonly view: View
  /** Undefined: the page is of no organization. */
  readonly estate: string | undefined
  readonly error: unknown
  readonly requestId: string
  readonly back: string | undefined
}

function ErrorPage({ view, estate, error, requestId, back }: ErrorPageProps) {
  const { title, status, detail, hint } = problemOf(error, requestId)
  const unit = isTacoError(error, 'NOT_FOUND') ? error.facts['unit'] : undefined
  return (
    <Layout view={view} title={title} isRefusal={back !== undefined}>
      <h1>{title}</h1>
      <div class="grid">
        <Card>
          <p>
            <WithCode>{detail}</WithCode>
          </p>
          {hint !== undefined && (
            <p>
              <WithCode>{hint}</WithCode>
            </p>
          )}
          <p class="bar">
            {back !== undefined && <a href={back}>Go back</a>}
            {estate === undefined ? (
              <a href="/">Go to the start page</a>
            ) : (
              <a href={estate}>Go to the estate</a>
            )}
            {view.org !== undefined && typeof unit === 'string' && (
              <a href={withQuery(view.org.base, { view: 'table', search: unit.split('/').at(-1) })}>
                Search for units like it
              </a>
            )}
          </p>
          <p class="faint">
            Status {status}, request <code>{requestId}</code>
          </p>
        </Card>
      </div>
    </Layout>
  )
}
