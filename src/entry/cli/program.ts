import { accessCommands, guardCommands, roleCommands, teamCommands } from './commands/access/spec.ts'
import { completionCommand } from './commands/completion.ts'
import { bucketCommands } from './commands/bucket/spec.ts'
import { loginCommands } from './commands/login/spec.ts'
import { notificationCommands } from './commands/notification/spec.ts'
import { graphCommands } from './commands/graph/spec.ts'
import { projectCommands } from './commands/project/spec.ts'
import { projectsCommands } from './commands/projects/spec.ts'
import { registryCommands } from './commands/registry/spec.ts'
import { rolloutCommands } from './commands/rollout/spec.ts'
import { serverCommands } from './commands/server/spec.ts'
import { tokenCommands, workloadCommands } from './commands/token/spec.ts'
import { orgCommands, unitCommands } from './commands/unit/spec.ts'
import { lockCommands, stateCommands } from './commands/state/spec.ts'
import { varCommands, varsetCommands } from './commands/variables/spec.ts'
import type { CommandSpec } from './spec/spec.ts'

const about = `OpenTaco keeps the states of OpenTofu and Terraform in your own bucket, with locks and history.

A command talks to a server (--server, TACO_SERVER, or \`taco use https://…\`), or works directly on a
bucket (--bucket, TACO_BUCKET, or \`taco use s3://…\`). With neither, the server is http://127.0.0.1:8226.
Sign in with \`taco login\`. TACO_TOKEN and --token-file come first; no token is given on the command line.`

/** The whole command line. */
export const program: CommandSpec = {
  name: 'taco',
  says: about,
  options: [
    { name: 'server', value: 'url', says: 'server to use (TACO_SERVER)' },
    {
      name: 'bucket',
      value: 'url',
      says: 'bucket to use without a server: file://, s3://, gs://, azblob:// or a folder (TACO_BUCKET)',
    },
    { name: 'org', value: 'org', says: 'organization (TACO_ORG; default: "default")' },
    {
      name: 'token-file',
      value: 'path',
      says: 'file with the token (TACO_TOKEN_FILE; the token itself: TACO_TOKEN)',
    },
    {
      name: 'ca-file',
      value: 'path',
      says: 'PEM file with the private authority that issued the certificate of the server (TACO_CA_FILE)',
    },
    { name: 'json', says: 'print JSON as the API returns it' },
    { name: 'quiet', short: 'q', says: 'print only results and errors' },
    { name: 'debug', says: 'print requests and stack traces' },
    { name: 'color', isOn: true, says: 'no colours (also NO_COLOR)' },
    { name: 'version', short: 'V', says: 'print the version' },
  ],
  children: [
    ...bucketCommands,
    ...loginCommands,
    unitCommands,
    orgCommands,
    projectsCommands,
    stateCommands,
    ...lockCommands,
    ...projectCommands,
    varCommands,
    varsetCommands,
    ...graphCommands,
    ...rolloutCommands,
    ...serverCommands,
    registryCommands,
    tokenCommands,
    accessCommands,
    teamCommands,
    roleCommands,
    guardCommands,
    notificationCommands,
    workloadCommands,
    completionCommand,
  ],
  example: `taco serve --bucket ./taco-data
taco unit create prod/network
taco backend prod/network --write
taco --bucket s3://states exec prod/network -- tofu plan`,
}
