/** Room for what is too large for memory: bytes are written once, read any number of times, then thrown away. */
export interface Spool {
  create(): Promise<SpoolFile>
}

export interface SpoolFile {
  readonly size: number
  write(chunk: Uint8Array): Promise<void>
  /**
   * Only after the last write; `start` and `end` are both included. A chunk is valid until you request the next one.
   */
  stream(range?: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array>
  dispose(): Promise<void>
}
