/** How much of anything a client may take. */
export interface Limits {
  readonly maxStateBytes: number
  readonly maxJsonBytes: number
  /** What engines send is a few hundred bytes. It is kept in the unit's document and answered to everybody who waits. */
  readonly maxLockInfoBytes: number
  /** A document that has a state in it. */
  readonly maxInlineStateBytes: number
  /** A form of a page, or an answer of an identity provider that comes as one. */
  readonly maxFormBytes: number
  readonly maxHeaderBytes: number
  readonly maxHeaders: number
  readonly headersTimeoutMs: number
  /** How often connections are looked at for the two times around this. */
  readonly checkEveryMs: number
  /** For the whole request, a slow upload of a large state included. */
  readonly requestTimeoutMs: number
  /** Without a single byte from a client that we wait for. */
  readonly idleTimeoutMs: number
  /** A body that is not whole after the grace time must have come at this rate at least. */
  readonly bodyGraceMs: number
  readonly minBodyBytesPerSecond: number
  readonly keepAliveTimeoutMs: number
  /** What is read and thrown away of a refused upload, so that the client gets to read the answer. */
  readonly drainBytes: number
  readonly drainMs: number
  /** Event streams that are open at once: of one address (or IPv6 /64), and of all. */
  readonly maxEventStreamsPerCaller: number
  readonly maxEventStreams: number
}

export const defaultLimits: Limits = {
  maxStateBytes: 2 ** 30,
  maxJsonBytes: 2 ** 20,
  maxLockInfoBytes: 64 * 1024,
  maxInlineStateBytes: 64 * 2 ** 20,
  maxFormBytes: 256 * 1024,
  maxHeaderBytes: 16 * 1024,
  maxHeaders: 100,
  headersTimeoutMs: 10_000,
  checkEveryMs: 1_000,
  requestTimeoutMs: 3_600_000,
  idleTimeoutMs: 60_000,
  bodyGraceMs: 60_000,
  minBodyBytesPerSecond: 1_000,
  // Longer than the 60 s after which common load balancers give up an idle connection of theirs.
  keepAliveTimeoutMs: 65_000,
  drainBytes: 64 * 2 ** 20,
  drainMs: 30_000,
  maxEventStreamsPerCaller: 32,
  maxEventStreams: 256,
}
