/**
 * Notifications: who is told about which events, and how. Configurations are records of an organization; events come
 * from its journal, so nothing that writes states knows about them. One server delivers at a time (`deliverer.ts`).
 */
export { type Configuration, DestinationKind, type Scope } from './configuration.ts'
export { type Deliverer, type DelivererDeps, startDeliverer } from './deliverer.ts'
export type { DeliveryResponse, Destination, Recipient, Sent } from './destination.ts'
export type { Notice } from './notice.ts'
export {
  type ConfigurationChange,
  type DeliveryState,
  type NewConfiguration,
  type NotificationParts,
  type Notifications,
  createNotifications,
  openNotificationParts,
} from './notifications.ts'
export { type Destinations, type SendDeps, createSender } from './send.ts'
export { createStaleUnits } from './stale-units.ts'
export { KNOWN_TRIGGERS, NATIVE_TRIGGERS } from './triggers.ts'
