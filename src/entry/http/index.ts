/**
 * The HTTP face: the http backend of tofu and terraform, the native API under /v1, and pages. It parses, calls one service
 * and renders; it decides nothing about states. States never pass through web streams or a framework.
 */
export { openGuard, rootTokensIn, tokenGuard, trustingGuard } from './auth/auth.ts'
export type { Guard, GuardWatch } from './auth/auth.ts'
export { createFailedAttempts } from './auth/failed-attempts.ts'
export type { FailedAttempts } from './auth/failed-attempts.ts'
export { parseTrustedProxies } from './auth/client-address.ts'
export type { HttpDeps } from './deps.ts'
export { defaultLimits } from './kit/limits.ts'
export type { Limits } from './kit/limits.ts'
export { isLoopback, listenRefusal } from './auth/loopback.ts'
export { accessTokenGuard } from './auth/access-token-guard.ts'
export { createMetrics } from './kit/metrics.ts'
export type { Metrics } from './kit/metrics.ts'
export { isWeakToken } from './auth/token-strength.ts'
export { createWorkloadExchange } from './auth/workload-exchange.ts'
export { runTokenGuard } from './auth/run-token-guard.ts'
export { createLoginFace } from './login/face.ts'
export { openWebFace } from './open-web.ts'
export { createHttpFace } from './server.ts'
export type { HttpFace } from './server.ts'
