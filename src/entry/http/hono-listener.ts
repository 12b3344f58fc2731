import { getRequestListener } from '@hono/node-server'
import { badRequest } from '../../base/errors.ts'
import { createApp } from './app.ts'
import type { HttpDeps } from './deps.ts'
import type { Exchange } from './kit/exchange.ts'
import { receivedWhole } from './kit/request/receive.ts'
import { SECURITY_HEADERS } from './kit/response/respond.ts'
import type { RestListener } from './server.ts'

/**
 * What the router sees as the server's name. A client's own Host must not take part in building the address that is
 * routed; the guard has judged the path alone.
 */
const HOST = 'opentaco.internal'

/** Joins the application to the node server. */
export function createRestListener(deps: HttpDeps): RestListener {
  const app = createApp(deps)
  const exchanges = new WeakMap<object, Exchange>()

  const listener = getRequestListener(
    (request, { incoming }) => {
      const exchange = exchanges.get(incoming)
      if (exchange === undefined) throw new Error('a request without an exchange')
      if (pathOf(request.url) !== exchange.path) {
        throw badRequest('path', 'the path has characters that must be percent-encoded')
      }
      return app.fetch(request, { exchange })
    },
    {
      overrideGlobalObjects: false,
      errorHandler: (error) => {
        throw badRequest(
          'path',
          'the address of the request is malformed',
          error instanceof Error ? error.message : undefined,
        )
      },
    },
  )

  return async (x) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) x.res.setHeader(name, value)
    x.res.setHeader('x-request-id', x.requestId)
    exchanges.set(x.req, x)
    x.req.headers.host = HOST
    // A body of undeclared length is taken in here, within bounds; the listener finds it under this name.
    if (x.req.headers['transfer-encoding'] !== undefined)
      Object.assign(x.req, { rawBody: await receivedWhole(x, deps.limits.maxJsonBytes) })
    await listener(x.req, x.res)
  }
}

function pathOf(url: string): string {
  const start = url.indexOf(HOST) + HOST.length
  const mark = url.indexOf('?', start)
  return mark === -1 ? url.slice(start) : url.slice(start, mark)
}
