/**
 * Goes on with a value that may still be on its way, and at once if it is there: a small state is answered in the turn
 * in which it is asked for.
 */
export function next<T, U>(value: T | Promise<T>, use: (value: T) => U): U | Promise<Awaited<U>> {
  return value instanceof Promise ? (value.then(use) as Promise<Awaited<U>>) : use(value)
}
