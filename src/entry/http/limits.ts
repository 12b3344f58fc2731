/** How much of anything a client may take. */
export interface Limits {
  readonly maxStateBytes: number
  readonly maxJsonBytes: number
  readonly maxHeaderBytes: number
  readonly maxHeaders: number
  readonly headersTimeoutMs: number
  /** For the whole request, a slow upload of a large state included. */
  readonly requestTimeoutMs: number
  /** Without a single byte from a client that we wait for. */
  readonly idleTimeoutMs: number
  readonly keepAliveTimeoutMs: number
  /** What is read and thrown away of a refused upload, so that the client gets to read the answer. */
  readonly drainBytes: number
  readonly drainMs: number
}

export const defaultLimits: Limits = {
  maxStateBytes: 2 ** 30,
  maxJsonBytes: 2 ** 20,
  maxHeaderBytes: 16 * 1024,
  maxHeaders: 100,
  headersTimeoutMs: 20_000,
  requestTimeoutMs: 3_600_000,
  idleTimeoutMs: 60_000,
  // Longer than the 60 s after which common load balancers give up an idle connection of theirs.
  keepAliveTimeoutMs: 65_000,
  drainBytes: 64 * 2 ** 20,
  drainMs: 30_000,
}
