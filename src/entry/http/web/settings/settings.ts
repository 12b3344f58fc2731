import { generalRoutes } from './general.tsx'
import { notificationRoutes } from './notifications/notifications.tsx'

/** The settings of an organization. */
export const settingsRoutes = [...generalRoutes, ...notificationRoutes]
