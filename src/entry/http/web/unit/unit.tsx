import type { Route } from '../../kit/routes/route.ts'
import { accessRoutes } from './access/access.tsx'
import { activityRoutes } from './activity.tsx'
import { dependencyRoutes } from './dependencies/dependencies.tsx'
import { changeRoutes } from './history/changes.tsx'
import { diffRoutes } from './history/diff.tsx'
import { historyRoutes } from './history/history.tsx'
import { lockRoutes } from './lock/lock.tsx'
import { commitRoutes } from './outputs/commits.tsx'
import { compareRoutes } from './outputs/compare.tsx'
import { outputRoutes } from './outputs/outputs.tsx'
import { rollbackRoutes } from './history/rollback.tsx'
import { overviewRoutes } from './overview/overview.tsx'
import { resourceRoutes } from './resources.tsx'
import { runRoutes } from './runs.tsx'
import { settingRoutes } from './settings/settings.tsx'
import { variableRoutes } from './variables/variables.tsx'

/** The pages of a unit: its overview, and a tab for each thing that it has. */
export const unitRoutes: readonly Route[] = [
  ...overviewRoutes,
  ...lockRoutes,
  ...dependencyRoutes,
  ...outputRoutes,
  ...commitRoutes,
  ...compareRoutes,
  ...resourceRoutes,
  ...historyRoutes,
  ...changeRoutes,
  ...diffRoutes,
  ...rollbackRoutes,
  ...runRoutes,
  ...variableRoutes,
  ...activityRoutes,
  ...accessRoutes,
  ...settingRoutes,
]
