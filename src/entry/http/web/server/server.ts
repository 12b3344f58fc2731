import { personRoutes } from './people/people.tsx'
import { providerRoutes } from './providers/providers.tsx'
import { serverSettingsRoutes } from './settings.tsx'

/** What administrators of the server see. */
export const serverRoutes = [...serverSettingsRoutes, ...providerRoutes, ...personRoutes]
