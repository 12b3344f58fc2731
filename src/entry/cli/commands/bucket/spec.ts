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
        says: 'host:port, or a port on 127.0.0.1',
      },
      {
        name: 'auth',
        value: 'mode',
        env: 'TACO_AUTH',
        choices: ['none', 'token', 'sso'],
        says: '"token" reads the root token from TACO_ROOT_TOKEN or --token-file; "sso" lets people sign in; default: token if one is set',
      },
      {
        name: 'public-url',
        value: 'url',
        env: 'TACO_PUBLIC_URL',
        says: 'address of this server for people, e.g. https://taco.example.com; needed by --auth sso',
      },
      {
        name: 'secret-key-file',
        value: 'path',
        env: 'TACO_SECRET_KEY_FILE',
        says: 'file with the keys that seal stored secrets, the current one first; or set TACO_SECRET_KEY',
      },
      {
        name: 'secret-key-command',
        value: 'command',
        env: 'TACO_SECRET_KEY_COMMAND',
        says: 'command that prints these keys, e.g. "aws kms decrypt …"',
      },
      {
        name: 'insecure',
        env: 'TACO_INSECURE',
        says: 'allow --auth none on an address that others can reach',
      },
      {
        name: 'tls-cert',
        value: 'path',
        env: 'TACO_TLS_CERT',
        says: 'serve HTTPS with this certificate (PEM, with the chain); a renewed one is used at once',
      },
      { name: 'tls-key', value: 'path', env: 'TACO_TLS_KEY', says: 'file with its private key (PEM)' },
      {
        name: 'tls',
        value: 'auto',
        env: 'TACO_TLS',
        choices: ['auto'],
        says: 'serve HTTPS with a certificate of a local authority, which is created; see `taco tls trust`',
      },
      {
        name: 'tls-name',
        value: 'names',
        env: 'TACO_TLS_NAME',
        says: 'more names and addresses for --tls auto, e.g. taco.example.test,10.0.0.5',
      },
      {
        name: 'trusted-proxy',
        value: 'addresses',
        env: 'TACO_TRUSTED_PROXY',
        says: 'trust X-Forwarded-For from these proxies, e.g. 10.0.0.5,fd00::/8',
      },
      {
        name: 'smtp-url',
        value: 'url',
        env: 'TACO_SMTP_URL',
        says: 'send notifications by e-mail through this server, e.g. smtp://user:password@mail.example.com:587',
      },
      {
        name: 'smtp-from',
        value: 'address',
        env: 'TACO_SMTP_FROM',
        says: 'sender of that e-mail, e.g. "OpenTaco <taco@example.com>"',
      },
      {
        name: 'provider-mirror',
        value: 'hosts',
        valueOptional: true,
        env: 'TACO_PROVIDER_MIRROR',
        says: 'mirror providers of these registries, as name or name=address; default: registry.opentofu.org,registry.terraform.io',
      },
      {
        name: 'notification-deny',
        value: 'networks',
        env: 'TACO_NOTIFICATION_DENY',
        says: 'send no notifications to these networks, e.g. 10.0.0.0/8,127.0.0.0/8',
      },
      {
        name: 'notify-every',
        value: 'time',
        env: 'TACO_NOTIFY_EVERY',
        says: 'how often to look for events to notify about ; default: 5s',
      },
      { name: 'metrics-open', env: 'TACO_METRICS_OPEN', says: 'serve /metrics without a token' },
      { name: 'max-state', value: 'size', env: 'TACO_MAX_STATE', says: 'refuse larger states, e.g. 500MB' },
      {
        name: 'log-level',
        value: 'level',
        env: 'TACO_LOG_LEVEL',
        choices: ['debug', 'info', 'warn', 'error', 'silent'],
        says: 'log level; default: warn on a terminal, otherwise info',
      },
      {
        name: 'log-format',
        value: 'format',
        env: 'TACO_LOG_FORMAT',
        choices: ['json', 'text'],
        says: 'log format; default: text on a terminal, otherwise json',
      },
      {
        name: 'look-every',
        value: 'time',
        env: 'TACO_LOOK_EVERY',
        says: 'how often every unit is checked and repaired; default: 5m',
      },
      {
        name: 'gc-every',
        value: 'time',
        env: 'TACO_GC_EVERY',
        says: 'how often retention runs, half as often on a busy server, 0 for never; default: 6h',
      },
      {
        name: 'bucket-timeout',
        value: 'time',
        env: 'TACO_BUCKET_TIMEOUT',
        says: 'how long to wait for an answer of the bucket; default: 30s',
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
    says: 'set the default server or bucket; without an argument, show it',
    args: [
      {
        name: 'address',
        optional: true,
        says: 'https://… for a server; s3://…, gs://…, azblob://…, file://… or a folder for a bucket',
      },
    ],
    options: [{ name: 'forget', says: 'remove the default' }],
    example: 'taco use s3://states',
    run: use,
  }),
  command({
    name: 'adopt',
    says: 'create units for states that are already in the bucket; nothing is moved or rewritten',
    options: [
      { name: 'under', value: 'prefix', says: 'search only under this prefix' },
      { name: 'as', value: 'pattern', says: 'name of each unit, e.g. "prod/{path}"' },
      {
        name: 'code',
        value: 'folder',
        says: 'code to check for locks in DynamoDB (S3 only); default: the current repository',
      },
      { name: 'despite-dynamodb', says: 'adopt even if the code locks in DynamoDB' },
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
    says: 'check the bucket, the server, the clock and this program',
    options: [
      { name: 'deep', says: 'read every version and verify its hash' },
      { name: 'repair', says: 'repair what can be repaired' },
      { name: 'background', says: 'let a server check the bucket, and do not wait for it' },
      { name: 'last', says: 'show how far the last check in the background got, and what it found' },
    ],
    example: `taco doctor --deep
taco doctor --deep --background
taco doctor --last`,
    run: doctor,
  }),
  command({
    name: 'version',
    says: 'print the versions of taco, Node and the server',
    example: 'taco version',
    run: version,
  }),
]
