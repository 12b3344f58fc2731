import { orgTokenRoutes } from './org-tokens.ts'
import { tokenByIdRoutes, userTokenRoutes } from './own-tokens.ts'
import { tokenLimitRoutes } from './token-limits.ts'

export const tokenRoutes = [...userTokenRoutes, ...orgTokenRoutes, ...tokenByIdRoutes, ...tokenLimitRoutes]
