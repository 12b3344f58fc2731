/**
 * The runner: claims steps of a rollout, prepares them, runs an engine and reports how it went. It is used by the CLI,
 * and can be by an agent or inside a server: all it needs comes in as `RunnerNeeds`, and what happens leaves as
 * `RunnerEvent`s. It prints nothing, and knows no command line and no HTTP client.
 */
export { backendEnv } from './backend-env.ts'
export { childEnv } from './child-env.ts'
export type { RunnerEvent } from './events.ts'
export { fingerprintOf, isOfConfiguration } from './fingerprint.ts'
export { planUnit } from './host/engine-run.ts'
export { openEngines } from './host/engines.ts'
export { hasUnstored } from './host/left-engine.ts'
export type { EngineLeft } from './host/left-engine.ts'
export { openRunFolder, removeAbandoned } from './host/run-folder.ts'
export { terragruntUnits } from './host/terragrunt.ts'
export { folderOf, isFolder, readUnitFiles } from './host/unit-files.ts'
export type { RolloutApi, StateBackend } from './needs.ts'
export { repositoryOf, unitNamed, withoutUnits } from './repository.ts'
export type { Repository } from './repository.ts'
export { during, takeRunToken } from './run-token.ts'
export type { RunTokenApi } from './run-token.ts'
export { variableFiles, variablesOfEnv } from './run-variables.ts'
export { withVariables } from './host/with-variables.ts'
export { stepEnv } from './step-env.ts'
export { printOf } from './unit-fingerprint.ts'
export { claiming, startWorker } from './worker.ts'
export type { Worker } from './worker.ts'
