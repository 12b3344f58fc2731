import { archiveRoutes } from './archives.ts'
import { gpgKeyRoutes } from './gpg-keys.ts'
import { mirrorRoutes } from './mirror.ts'
import { moduleProtocolRoutes } from './module-protocol.ts'
import { moduleRoutes } from './modules.ts'
import { noCodeRoutes } from './no-code.ts'
import { providerProtocolRoutes } from './provider-protocol.ts'
import { providerRoutes } from './providers.ts'
import { vcsModuleRoutes } from './vcs-modules.ts'

/** The registry: its protocols for engines, and its part of the Terraform Cloud API. */
export const registryRoutes = [
  ...moduleProtocolRoutes,
  ...providerProtocolRoutes,
  ...archiveRoutes,
  ...moduleRoutes,
  ...vcsModuleRoutes,
  ...providerRoutes,
  ...gpgKeyRoutes,
  ...noCodeRoutes,
  ...mirrorRoutes,
]
