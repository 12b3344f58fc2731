/**
 * Ids of things below a unit consist of the id of the unit and their own, so that they lead to the unit without an
 * index: `sv-` and 32 characters, of which the first 16 are those of `ws-…`.
 */
const LENGTH = 16
const ID = /^[0-9A-Za-z]+$/

export function idBelow(prefix: string, unit: string, own: string): string {
  return `${prefix}-${randomOf(unit)}${own.slice(own.indexOf('-') + 1)}`
}

/** The unit, and the rest. Undefined: it is no such id. */
export function partsOf(
  prefix: string,
  id: string,
): { readonly unit: string; readonly own: string } | undefined {
  if (!id.startsWith(`${prefix}-`)) return undefined
  const text = id.slice(prefix.length + 1)
  if (text.length <= LENGTH || !ID.test(text)) return undefined
  return { unit: `ws-${text.slice(0, LENGTH)}`, own: text.slice(LENGTH) }
}

function randomOf(unit: string): string {
  return unit.slice(unit.indexOf('-') + 1)
}
