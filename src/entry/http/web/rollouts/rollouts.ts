import type { Route } from '../../kit/routes/route.ts'
import { rolloutList } from './list.tsx'
import { rolloutPages } from './rollout.tsx'
import { startPages } from './start.tsx'

export const rolloutRoutes: readonly Route[] = [rolloutList, ...startPages, ...rolloutPages]
