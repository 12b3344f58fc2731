import type { Route } from '../../kit/routes/route.ts'
import { setListRoutes } from './list.tsx'
import { setRoutes } from './set.tsx'

/** The pages of variable sets. The variables of a unit are on its own page. */
export const variableRoutes: readonly Route[] = [...setListRoutes, ...setRoutes]
