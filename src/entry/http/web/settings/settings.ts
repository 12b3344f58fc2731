import { generalRoutes } from './general.tsx'
import { healthRoutes } from './health/health.tsx'
import { notificationRoutes } from './notifications/notifications.tsx'
import { projectRoutes } from './projects/projects.tsx'
import { retentionRoutes } from './retention.tsx'
import { usageRoutes } from './usage.tsx'

/** The settings of an organization. */
export const settingsRoutes = [
  ...generalRoutes,
  ...projectRoutes,
  ...retentionRoutes,
  ...notificationRoutes,
  ...usageRoutes,
  ...healthRoutes,
]
