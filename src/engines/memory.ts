/** Below this, memory is worth more than time. */
const LEAST_BYTES = 256 * 1024 ** 2

/**
 * Engines and providers are Go programs, which collect garbage from 4 MB on: a quarter of a short run. Where there is
 * memory they may collect later, each within its share of what is free; from there on they collect as they would.
 * Whoever has said how they shall collect is left alone.
 */
export function memoryEnv(
  env: Readonly<Record<string, string | undefined>>,
  { freeBytes, jobs }: { readonly freeBytes: number; readonly jobs: number },
): Readonly<Record<string, string>> {
  if (env['GOGC'] !== undefined || env['GOMEMLIMIT'] !== undefined) return {}
  // An engine and its providers at once, and half is left to everything else.
  const share = Math.floor(freeBytes / (4 * jobs))
  return share < LEAST_BYTES ? {} : { GOGC: '400', GOMEMLIMIT: String(share) }
}
