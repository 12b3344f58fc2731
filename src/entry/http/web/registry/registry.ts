import type { Route } from '../../kit/routes/route.ts'
import { keyRoutes } from './keys.tsx'
import { mirrorPage } from './mirror.tsx'
import { moduleRoutes } from './module.tsx'
import { moduleList } from './modules.tsx'
import { publishRoutes } from './publish.tsx'
import { providerRoutes } from './provider.tsx'
import { providerList } from './providers.tsx'

export const registryRoutes: readonly Route[] = [
  moduleList,
  ...publishRoutes,
  ...moduleRoutes,
  providerList,
  ...providerRoutes,
  ...keyRoutes,
  mirrorPage,
]
