/**
 * Which units a rule is about. `prod/app` is the unit of that name, or of that id: no name looks like an id. In a part
 * of the path, `*` is any text without `/`. A part `**` is any number of parts; at the end it is at least one, so
 * `prod/**` is everything below `prod` and not `prod` itself.
 */
const PART = /^[A-Za-z0-9_.*-](?:[A-Za-z0-9_.* -]*[A-Za-z0-9_.*-])?$/
const MAX_PATTERN = 200

/** What is wrong with a pattern, as a sentence and its remedy; undefined if nothing is. */
export function patternFault(
  pattern: string,
): { readonly message: string; readonly hint: string } | undefined {
  if (pattern === '' || pattern.length > MAX_PATTERN)
    return {
      message: `A unit pattern has 1 to ${MAX_PATTERN} characters, not ${pattern.length}.`,
      hint: 'Use a name such as prod/app, a pattern such as prod/**, or ** for every unit.',
    }
  for (const part of pattern.split('/')) {
    if (part === '' || part === '.' || part === '..')
      return {
        message: `The unit pattern "${pattern}" has an empty, "." or ".." part.`,
        hint: 'Use a plain path such as prod/network/**, without "/" at either end.',
      }
    if (part !== '**' && part.includes('**'))
      return {
        message: `The unit pattern "${pattern}" has "**" inside of a part: "${part}".`,
        hint: 'Use "**" as a whole part, as in prod/**, or "*" inside of one, as in prod-*.',
      }
    if (!PART.test(part))
      return {
        message: `The unit pattern "${pattern}" has an invalid part: "${part}".`,
        hint: 'Use the characters of unit names and "*". For alternatives, list several patterns.',
      }
  }
  return undefined
}

export function matchesUnit(pattern: string, unit: { readonly id: string | null; readonly name: string }) {
  if (!pattern.includes('*')) return pattern === unit.name || pattern === unit.id
  return pathTest(pattern)(unit.name)
}

/** For a pattern with a wildcard. Most names fail at its beginning or its end, which is quick to see. */
export function pathTest(pattern: string): (name: string) => boolean {
  const parts = pattern.split('/')
  const head = /^[^*]*/.exec(parts[0] ?? '')?.[0] ?? ''
  const tail = /[^*]*$/.exec(parts.at(-1) ?? '')?.[0] ?? ''
  const wanted = parts.at(-1) === '**' ? [...parts.slice(0, -1), '*', '**'] : parts
  return (name) =>
    name.startsWith(head) &&
    name.endsWith(tail) &&
    matchesSequence(wanted, name.split('/'), '**', matchesPart)
}

function matchesPart(pattern: string, part: string): boolean {
  if (pattern === '*') return true
  return pattern.includes('*')
    ? matchesSequence([...pattern], [...part], '*', (a, b) => a === b)
    : pattern === part
}

/**
 * Where `many` is any number of elements, the shortest that fits is tried first, and only the last `many` is ever tried
 * again: an earlier one that takes more could not help. So the time is at most the product of the lengths.
 */
function matchesSequence(
  wanted: readonly string[],
  given: readonly string[],
  many: string,
  isOne: (wanted: string, given: string) => boolean,
): boolean {
  let [w, g, lastMany, takenTo] = [0, 0, -1, 0]
  while (g < given.length) {
    const one = wanted[w]
    if (one === many) [lastMany, takenTo] = [w++, g]
    else if (one !== undefined && isOne(one, given[g] ?? '')) [w, g] = [w + 1, g + 1]
    else if (lastMany >= 0) [w, g] = [lastMany + 1, ++takenTo]
    else return false
  }
  while (wanted[w] === many) w++
  return w === wanted.length
}
