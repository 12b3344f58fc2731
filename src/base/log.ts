/** Static message first, data in fields; fields named like secrets are masked by the sink. */
export interface Log {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
  error(message: string, fields?: Readonly<Record<string, unknown>>): void
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }
