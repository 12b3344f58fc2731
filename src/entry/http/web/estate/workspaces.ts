import { z } from 'zod'
import { seeOther } from '../../kit/response/redirect.ts'
import type { Route } from '../../kit/routes/route.ts'
import { page } from '../define.ts'

/**
 * The addresses that engines print, `/app/<org>/<workspace>/runs/<id>` and others: they lead to the pages of the unit. A
 * workspace is a unit whose name has `--` for `/`. They are matched after every other page: a unit that is called like
 * one, such as `rollouts`, is reached by `/app/<org>/units/rollouts` only.
 */
export const workspaceRoutes: readonly Route[] = Object.entries({
  '': '',
  '/runs': '/runs',
  '/runs/{run}': '/runs',
  '/search/{run}': '/runs',
  '/variables': '/variables',
}).map(([rest, tab]) =>
  page({
    path: `/app/{org}/{workspace}${rest}`,
    id: `followWorkspace${rest.replaceAll(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase()).replace('}', '')}`,
    action: 'unit:read',
    summary: 'Go to the unit that an engine calls a workspace',
    params: z.object({ org: z.string(), workspace: z.string() }),
    // The page that it leads to says whether there is such a unit: this one reveals nothing.
    isFiltered: true,
    target: ({ params: { org } }) => ({ org }),
    handle: ({ x, params: { workspace } }) =>
      seeOther(`/app/${x.path.split('/')[2] ?? ''}/units/${encodeURIComponent(workspace)}${tab}`),
  }),
)
