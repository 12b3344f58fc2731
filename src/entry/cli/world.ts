import type { Duplex, Readable, Writable } from 'node:stream'
import type {
  HclReader,
  isScanned,
  mentionsDynamodb,
  projectText,
  readVariableFile,
  scan,
} from '../../scan/index.ts'
import type { accessFiles } from '../../access/index.ts'
import type { placesOfDependencies, readProject } from '../../project/index.ts'

/**
 * What the CLI needs from the world around it. `wire/` builds the real one; tests bring their own, so that a
 * command can be run inside a test with nothing of the machine in it.
 */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string
  /** `alice@laptop`: shown as the holder of locks. */
  readonly who: string
  readonly stdin: Input
  readonly stdout: Screen
  readonly stderr: Screen
  now(): number
  /** Bytes that this process and its children may still take. */
  freeMemory(): number
  /** Called for SIGINT, SIGTERM and SIGHUP until the returned function is called. */
  onSignal(heard: (signal: Signal) => void): () => void
  /** From now on the work matters more than whether anybody reads what is said of it. */
  goOnUnread(): void
  version(): string
  /** False: there is none, or it cannot be started. */
  openBrowser(url: string): Promise<boolean>
  openEmbedded(options: EmbedOptions): Promise<Embedded>
  serve(options: ServeOptions): Promise<Served>
  /** What reads repositories; loaded by the commands that do. */
  repository(): Promise<RepositoryTools>
  /** Reads files about access; loaded by the commands that take one. */
  accessFiles(): ReturnType<typeof accessFiles>
  /** Makes archives of folders. */
  packing(): Promise<PackingTools>
  /** Makes keys for servers. */
  secretKeys(): Promise<SecretKeyTools>
  /** Loaded only when needed: they bring the schema library along. */
  parsers(): Promise<Parsers>
}

export interface RepositoryTools {
  readonly readProject: typeof readProject
  readonly isScanned: typeof isScanned
  readonly mentionsDynamodb: typeof mentionsDynamodb
  readonly placesOfDependencies: typeof placesOfDependencies
  readonly scan: typeof scan
  readonly projectText: typeof projectText
  readonly readVariableFile: typeof readVariableFile
  openHclReader(): HclReader
}

export interface PackingTools {
  packFolder(folder: string): Promise<{ readonly bytes: Buffer; readonly files: number }>
}

export interface SecretKeyTools {
  newKeyText(): { readonly id: string; readonly text: string }
}

export type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'
export type Input = Readable & { readonly isTTY?: boolean }
export type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number }

export interface EmbedOptions {
  readonly bucket: string
  /** The author in the history. */
  readonly by: string
  readonly debug: boolean
  /** False: a folder that is not there is refused instead of made. */
  readonly mayCreate: boolean
  /** True: a dry run, which leaves the bucket as it is. */
  readonly isRehearsal: boolean
}

/** The same API inside this process. */
export interface Embedded {
  /** The client's end of a new connection to it; nothing listens. */
  connect(): Duplex
  /** For engines: opens a port of the loopback address that accepts nothing but run tokens of this process. */
  listen(): Promise<Listening>
  /** Finishes what was answered but not yet tidied up. */
  close(): Promise<void>
}

interface Listening {
  readonly url: string
  /** Whether a lock of that id was taken through this port. */
  hasTaken(lockId: string): boolean
}

export interface ServeOptions {
  readonly bucket: string
  readonly listen: string
  /** Undefined: plain HTTP. `auto`: a certificate of a local authority, both made in the folder if needed. */
  readonly tls:
    | { readonly kind: 'files'; readonly cert: string; readonly key: string }
    | { readonly kind: 'auto'; readonly folder: string; readonly names: readonly string[] }
    | undefined
  readonly auth: 'none' | 'token' | 'sso'
  readonly publicUrl: string | undefined
  /** Where `taco` is, if it may not be on the PATH of the person who started the server. */
  readonly commandFile: string | undefined
  readonly insecure: boolean
  readonly rootToken: string | undefined
  /** Where the keys are that seal stored secrets, unless they are in TACO_SECRET_KEY. */
  readonly secretKeyFile: string | undefined
  readonly secretKeyCommand: string | undefined
  /** Addresses and networks of proxies that are believed about whom they speak for. */
  readonly trustedProxies: readonly string[]
  readonly metricsOpen: boolean
  /** Where e-mail is sent from, and as whom. */
  readonly smtpUrl: string | undefined
  readonly smtpFrom: string | undefined
  /** Registries whose providers are mirrored. */
  readonly mirrorHosts: readonly string[]
  /** Networks that notifications are not sent to. */
  readonly notificationDeny: readonly string[]
  readonly notifyEveryMs: number | undefined
  readonly maxStateBytes: number | undefined
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  readonly logFormat: 'json' | 'text' | undefined
  /** How often every unit is looked at. */
  readonly lookEveryMs: number | undefined
  /** How often retention is carried out; 0: only by `taco gc`. */
  readonly gcEveryMs: number | undefined
  /** How long a request to the bucket may go unanswered. */
  readonly bucketDeadlineMs: number | undefined
  /** How long requests under way may take to end at a shutdown. */
  readonly graceMs: number | undefined
  /** Server processes on the one address; `auto`: as many as there are processors. */
  readonly workers: number | 'auto'
}

export interface Served {
  readonly url: string
  /** The bucket's address without secrets. */
  readonly bucket: string
  /** Answers what is under way, then stops. */
  close(): Promise<void>
}

/** What is checked before anybody is asked. All of them throw BAD_REQUEST. */
export interface Parsers {
  parseBucketUrl(address: string): unknown
  isUnitId(text: string): boolean
  parseOrgName(text: string): string
  parseUnitName(text: string): string
}
