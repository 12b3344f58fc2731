/**
 * Works on up to `limit` items at a time. After a failure it starts no more, waits for those under way, and throws the
 * failure: nothing goes on behind the caller's back.
 */
export async function forEachLimit<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  const failures: unknown[] = []
  const worker = async () => {
    for (const item of waiting) {
      if (failures.length > 0) return
      try {
        await work(item)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
  if (failures.length > 0) throw failures[0]
}
