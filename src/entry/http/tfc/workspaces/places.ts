import { z } from 'zod'
import type { UnitRef } from '../../../../state/index.ts'
import type { TfcServices } from '../kit/define.ts'
import { ofName } from './target.ts'

type Params = Readonly<Record<string, string>>

/** Where a workspace is addressed. */
export interface WorkspacePlace {
  readonly path: string
  readonly params: z.ZodType<Params>
  target(given: { readonly params: Params }, services: TfcServices): UnitRef | Promise<UnitRef>
  /** For ids of routes. */
  readonly by: 'ByName' | 'ById'
}

/** By the name of its organization and its own, and by its id. Both know the same operations. */
export const PLACES: readonly WorkspacePlace[] = [
  {
    path: '/api/v2/organizations/{org}/workspaces/{name}',
    params: z.object({ org: z.string(), name: z.string() }) as unknown as z.ZodType<Params>,
    target: ({ params: { org = '', name = '' } }) => ofName({ params: { org, name } }),
    by: 'ByName',
  },
  {
    path: '/api/v2/workspaces/{workspace}',
    params: z.object({ workspace: z.string() }) as unknown as z.ZodType<Params>,
    target: ({ params: { workspace = '' } }, { locator }) => locator.workspace(workspace),
    by: 'ById',
  },
]
