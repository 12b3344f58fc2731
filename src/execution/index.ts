/** What runs need beside code and variables: agent pools, and SSH keys to fetch modules with. */
export { type AgentPool, type AgentPools, createAgentPools } from './agent-pools.ts'
export { type SshKey, type SshKeys, createSshKeys } from './ssh-keys.ts'
