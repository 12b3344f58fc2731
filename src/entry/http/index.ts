/**
 * The HTTP face: the http backend of tofu and terraform, and the native API under /v1. It parses, calls one service
 * and renders; it decides nothing about states. States never pass through web streams or a framework.
 */
export { openGuard, tokenGuard, trustingGuard } from './auth.ts'
export type { Guard, GuardWatch } from './auth.ts'
export { parseTrustedProxies } from './client-address.ts'
export type { HttpDeps } from './deps.ts'
export { defaultLimits } from './limits.ts'
export type { Limits } from './limits.ts'
export { isLoopback, listenRefusal } from './loopback.ts'
export { createMetrics } from './metrics.ts'
export type { Metrics } from './metrics.ts'
export { isWeakToken } from './token-strength.ts'
export { runTokenGuard } from './run-token-guard.ts'
export { createHttpFace } from './server.ts'
export type { HttpFace } from './server.ts'
