import { sessionRoutes } from './sessions.tsx'
import { tokenRoutes } from './tokens.tsx'

/** What belongs to the person who is signed in. */
export const accountRoutes = [...sessionRoutes, ...tokenRoutes]
