/** What the runner has to know about the machine it runs on. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Bytes that this process and its children may still allocate. */
  freeMemory(): number
}
