import { doctor } from './doctor.ts'
import { serve } from './serve.ts'
import { adopt, gc } from './upkeep.ts'
import { use } from './use.ts'
import { version } from './version.ts'
import { command } from '../../spec/spec.ts'
import type { CommandSpec, OptionSpec } from '../../spec/spec.ts'

const dryRun: OptionSpec = { name: 'dry-run', says: 'only show what would be done' }

export const bucketCommands: readonly CommandSpec[] = [
  command({
    name: 'serve',
    says: 'serve a bucket (default: the folder ./taco-data) over HTTP',
    options: [
      {
        name: 'listen',
        value: 'address',
        env: 'TACO_LISTEN',
        fallback: '127.0.0.1:8226',
        says: 'host:port, or a port of 127.0.0.1',
      },
      {
        name: 'auth',
        value: 'mode',
        env: 'TACO_AUTH',
        choices: ['none', 'token'],
        says: '"token" takes the root token from TACO_ROOT_TOKEN or --token-file; default: token if there is one',
      },
      {
        name: 'insecure',
        env: 'TACO_INSECURE',
        says: 'allow --auth none on an address that others can reach',
      },
      {
        name: 'trusted-proxy',
        value: 'addresses',
        env: 'TACO_TRUSTED_PROXY',
        says: 'take the client from X-Forwarded-For of these proxies, e.g. 10.0.0.5,fd00::/8',
      },
      { name: 'metrics-open', env: 'TACO_METRICS_OPEN', says: '/metrics needs no token' },
      { name: 'max-state', value: 'size', env: 'TACO_MAX_STATE', says: 'refuse larger states, e.g. 500MB' },
      {
        name: 'log-level',
        value: 'level',
        env: 'TACO_LOG_LEVEL',
        choices: ['debug', 'info', 'warn', 'error', 'silent'],
        says: 'how much is logged; default: warn on a terminal, else info',
      },
      {
        name: 'log-format',
        value: 'format',
        env: 'TACO_LOG_FORMAT',
        choices: ['json', 'text'],
        says: 'form of the log; default: text on a terminal, else json',
      },
      {
        name: 'look-every',
        value: 'time',
        env: 'TACO_LOOK_EVERY',
        says: 'look at every unit this often; default: 5m',
      },
      {
        name: 'gc-every',
        value: 'time',
        env: 'TACO_GC_EVERY',
        says: 'carry out retention this often, half as often if never idle, 0 for never; default: 6h',
      },
      {
        name: 'bucket-timeout',
        value: 'time',
        env: 'TACO_BUCKET_TIMEOUT',
        says: 'give up a request to a bucket that does not answer after this long; default: 30s',
      },
      {
        name: 'grace',
        value: 'time',
        env: 'TACO_GRACE',
        says: 'how long a shutdown waits for running requests; default: 20s',
      },
      {
        name: 'workers',
        value: 'number',
        env: 'TACO_WORKERS',
        says: 'server processes on the one port, or "auto" for one per processor; default: 1',
      },
    ],
    example: 'taco serve --bucket s3://states --listen 0.0.0.0:8226 --auth token',
    run: serve,
    ownsSignals: true,
  }),
  command({
    name: 'use',
    says: 'remember a server or a bucket for the commands to come; alone, show it',
    args: [
      {
        name: 'address',
        optional: true,
        says: 'https://… for a server; s3://…, gs://…, azblob://…, file://… or a folder for a bucket',
      },
    ],
    options: [{ name: 'forget', says: 'forget what is remembered' }],
    example: 'taco use s3://states',
    run: use,
  }),
  command({
    name: 'adopt',
    says: 'make units of the states that are already in the bucket; nothing is moved or rewritten',
    options: [
      { name: 'under', value: 'prefix', says: 'look only under this prefix' },
      { name: 'as', value: 'pattern', says: 'name of each unit, e.g. "prod/{path}"' },
      {
        name: 'code',
        value: 'folder',
        says: 'code to check for locks in DynamoDB, on S3; the repository around the current folder if not given',
      },
      { name: 'despite-dynamodb', says: 'adopt although the code locks in DynamoDB' },
      dryRun,
    ],
    example: "taco adopt --under prod/ --as 'prod/{path}' --dry-run",
    run: adopt,
  }),
  command({
    name: 'gc',
    says: 'delete the versions that retention no longer keeps',
    options: [dryRun],
    example: 'taco gc --dry-run',
    run: gc,
  }),
  command({
    name: 'doctor',
    says: 'explain what is wrong with bucket, server, clock or this program',
    options: [
      { name: 'deep', says: 'read everything back and verify every hash' },
      { name: 'repair', says: 'put right what can be' },
    ],
    example: 'taco doctor --deep',
    run: doctor,
  }),
  command({
    name: 'version',
    says: 'print the versions of taco, Node and the server',
    example: 'taco version',
    run: version,
  }),
]
