import type { Face } from './dispatch.ts'
import type { Route } from './route.ts'

/**
 * The face for a server whose organizations can be renamed: `{org}` in the path and `org` in the query are names, and
 * what a route decides and does is about ids. So a permission is that of the organization, by whichever name it is
 * called.
 */
export function withOrgIds(face: Face, idOf: (name: string) => string): Face {
  return { ...face, routes: face.routes.map((route) => routeWithOrgIds(route, idOf)) }
}

function routeWithOrgIds(route: Route, idOf: (name: string) => string): Route {
  function identified(fields: unknown): unknown {
    const { org } = fields as { readonly org?: unknown }
    if (typeof org !== 'string') return fields
    const id = idOf(org)
    return id === org ? fields : { ...(fields as object), org: id }
  }

  function addressed<T extends { readonly params: unknown; readonly query: unknown }>(given: T): T {
    const params = identified(given.params)
    const query = identified(given.query)
    return params === given.params && query === given.query ? given : { ...given, params, query }
  }

  const { also } = route
  return {
    ...route,
    target: (given, services) => route.target(addressed(given), services),
    ...(also === undefined ? {} : { also: (given, services) => also(addressed(given), services) }),
    handle: (request, services) => route.handle(addressed(request), services),
  }
}
