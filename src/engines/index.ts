/**
 * Engines: finding OpenTofu or Terraform, running them, and understanding their messages. Messages are matched in
 * messages.ts and nowhere else.
 */
export { backendKind } from './backend.ts'
export { backendBlock, backendUrl, hclText, innerBlock, type BackendPlace } from './backend-block.ts'
export type { BackendKind } from './backend.ts'
export { findEngine } from './find.ts'
export { errorOf, isInitNeeded, isMissingVariables } from './messages.ts'
export { memoryEnv } from './memory.ts'
export { startEngine } from './run.ts'
export type { Engine, EngineEnd } from './run.ts'
export { checkExported, expressionFile, variableEnv, variableFile, variableText } from './variables.ts'
export { engineVersion } from './version.ts'
