import { z } from 'zod'
import { badRequest } from '../base/errors.ts'
import { LOG_LEVELS } from '../base/log-sink.ts'
import { faultsIn, sayFaults } from '../base/text/validation-messages.ts'

export const ServeOptions = z.object({
  bucket: z.string().min(1),
  listen: z.string().default('127.0.0.1:8226'),
  /** Undefined: plain HTTP. */
  tls: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('files'), cert: z.string().min(1), key: z.string().min(1) }),
      /** A certificate of a local authority, both made in the folder if needed. */
      z.object({
        kind: z.literal('auto'),
        folder: z.string().min(1),
        names: z.array(z.string().min(1)).readonly(),
      }),
    ])
    .optional(),
  auth: z.enum(['none', 'token', 'sso']).default('token'),
  /** As browsers and command lines reach the server. */
  publicUrl: z.string().optional(),
  /** Short ones can be guessed, and this one opens everything. */
  rootToken: z.string().min(16).optional(),
  /** Where the keys are that seal stored secrets, unless they are in TACO_SECRET_KEY. */
  secretKeyFile: z.string().min(1).optional(),
  secretKeyCommand: z.string().min(1).optional(),
  /** Addresses and networks of proxies that are believed about whom they speak for. */
  trustedProxies: z.array(z.string()).readonly().default([]),
  /** Where `taco` is, if it may not be on the PATH of the person who started the server. */
  commandFile: z.string().optional(),
  /** Allows `none` beyond loopback. */
  insecure: z.boolean().default(false),
  metricsOpen: z.boolean().default(false),
  maxStateBytes: z.number().int().min(1).optional(),
  logLevel: z.enum(LOG_LEVELS).default('info'),
  logFormat: z.enum(['json', 'text']).optional(),
  /** How often every unit is looked at. */
  lookEveryMs: z.number().int().min(1000).default(300_000),
  /** How often retention is carried out, when nothing else is to do; 0: only by `taco gc`. */
  gcEveryMs: z
    .number()
    .int()
    .min(0)
    .default(6 * 3_600_000),
  /** Where e-mail is sent from: `smtp://user:password@host:587`. */
  smtpUrl: z
    .string()
    .regex(/^smtps?:\/\/./, 'must begin with smtp:// or smtps://')
    .optional(),
  smtpFrom: z.string().min(3).optional(),
  /** Registries whose providers are mirrored. None: there is no mirror. */
  mirrorHosts: z
    .array(
      z.string().regex(/^[0-9a-z][0-9a-z.-]*(=[0-9a-z][0-9a-z.-]*(:\d{1,5})?)?$/, 'must be names of hosts'),
    )
    .readonly()
    .default([]),
  /** Networks that notifications are not sent to. */
  notificationDeny: z.array(z.string()).readonly().default([]),
  /** How often events are looked for that somebody is to be notified of. */
  notifyEveryMs: z.number().int().min(100).default(5_000),
  /** How long a request to the bucket may go unanswered. */
  bucketDeadlineMs: z.number().int().min(1000).optional(),
  /** How long requests under way may take to end at a shutdown. */
  graceMs: z.number().int().min(0).default(20_000),
})
export type ServeOptions = z.infer<typeof ServeOptions>
export type ServeInput = z.input<typeof ServeOptions>

/** After the grace period: for what closing itself writes. */
export const LAST_WORDS_MS = 1_000

/** As people give them; what is not here is one word in both. */
const SAID_AS: Readonly<Record<string, string>> = {
  rootToken: 'the root token',
  publicUrl: '--public-url',
  secretKeyFile: '--secret-key-file',
  secretKeyCommand: '--secret-key-command',
  trustedProxies: '--trusted-proxy',
  maxStateBytes: '--max-state',
  lookEveryMs: '--look-every (in milliseconds)',
  gcEveryMs: '--gc-every (in milliseconds)',
  smtpUrl: '--smtp-url',
  smtpFrom: '--smtp-from',
  mirrorHosts: '--provider-mirror',
  notificationDeny: '--notification-deny',
  notifyEveryMs: '--notify-every (in milliseconds)',
  bucketDeadlineMs: '--bucket-timeout (in milliseconds)',
  graceMs: '--grace (in milliseconds)',
}

export function parseServeOptions(input: ServeInput): ServeOptions {
  const parsed = ServeOptions.safeParse(input)
  if (parsed.success) return parsed.data
  const faults = faultsIn(parsed.error)
  const said = faults.map(({ field, message }) => ({ field: SAID_AS[field] ?? field, message }))
  throw badRequest(
    faults[0]?.field ?? 'options',
    `The settings of the server are invalid: ${sayFaults(said)}.`,
    '`taco serve --help` lists the accepted values.',
  )
}
