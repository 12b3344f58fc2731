/** Health: which servers run on the bucket, whether it answers, and checks of what is stored, in the background. */
export type { Attempt, CheckOptions, Finding, Report } from './check-document.ts'
export { type CheckView, type CheckWork, type Checks, createChecks } from './checks.ts'
export { type BucketHealth, type Health, type Probed, createBucketHealth } from './health.ts'
export type { CheckSubject } from './layout.ts'
export { type ServerFacts, type ServerList, type ServerView, type Servers, createServers } from './servers.ts'
