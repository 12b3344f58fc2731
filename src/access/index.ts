/**
 * Who may do what. So far: run tokens, which let one command or one step of a rollout work on one unit.
 */
export { createRunTokens } from './run-tokens.ts'
export type { RunPrincipal, RunTokens } from './run-tokens.ts'
export { MAX_TTL_MS, isOwn, isRunToken, permitted } from './run-scope.ts'
export type { RunAction, RunScope } from './run-scope.ts'
