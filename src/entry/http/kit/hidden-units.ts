import { TacoError, isTacoError } from '../../../base/errors.ts'

/** A cycle is spelled out with every unit of it, and some may be hidden. */
export async function withoutHiddenCycle<T>(
  visible: ReadonlyMap<string, { readonly name: string }>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isTacoError(error, 'CONFLICT') || !Array.isArray(error.facts['cycle'])) throw error
    const names = new Set([...visible.values()].map(({ name }) => name))
    if (error.facts['cycle'].every((name) => names.has(String(name)))) throw error
    throw new TacoError('CONFLICT', 'This would make a cycle through units that you cannot see.', {
      facts: { field: 'on' },
      hint: 'Ask an administrator of the organization.',
    })
  }
}

/** Whether a unit that is given by its name or id is one of these. */
export function isSeen(visible: ReadonlyMap<string, { readonly name: string }>, unit: string): boolean {
  return visible.has(unit) || [...visible.values()].some(({ name }) => name === unit)
}
