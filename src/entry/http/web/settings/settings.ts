import { generalRoutes } from './general.tsx'

/** The settings of an organization. */
export const settingsRoutes = [...generalRoutes]
