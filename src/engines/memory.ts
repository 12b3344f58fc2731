/** Below this, memory matters more than time. */
const LEAST_BYTES = 256 * 1024 ** 2

/**
 * Engines and providers are Go programs, which collect garbage from 4 MB on: a quarter of a short run. With enough
 * memory they may collect later, each within its share of what is free; above that they collect as usual. We leave it
 * alone if the user has configured it.
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
