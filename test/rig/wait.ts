/** Polls until there is an answer; a test never sleeps for a guessed time. */
export async function eventually<T>(
  what: string | (() => string),
  ask: () => Promise<T | undefined> | T | undefined,
  deadlineMs = 60_000,
): Promise<T> {
  const end = Date.now() + deadlineMs
  let last: unknown
  do {
    try {
      const answer = await ask()
      if (answer !== undefined && answer !== false) return answer
    } catch (error) {
      last = error
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  } while (Date.now() < end)
  throw new Error(`waited ${deadlineMs} ms in vain for: ${typeof what === 'string' ? what : what()}`, {
    cause: last,
  })
}
