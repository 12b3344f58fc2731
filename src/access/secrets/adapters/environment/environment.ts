import type { KeySource } from '../../key-source.ts'

/** Keys in a variable of the environment. */
export function environmentKeys(name: string, value: string): KeySource {
  return { label: name, read: () => Promise.resolve(value) }
}
