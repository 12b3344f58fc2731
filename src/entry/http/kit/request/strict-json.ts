import { badRequest } from '../../../../base/errors.ts'

/** No document of the API comes near it. Everything that walks JSON takes a turn of the stack for every level. */
const MOST_LEVELS = 32

/**
 * Refuses what JSON.parse accepts and no one means: two members of the same name, of which it keeps the last; a member
 * `__proto__`, which schemas leave out; and endless nesting. Text that is not JSON passes; the parser reports it.
 */
export function checkJson(text: string): void {
  /** One for every open object, with the names it has so far; undefined for an array. */
  const open: (Set<string> | undefined)[] = []
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') {
      const end = endOfString(text, at)
      const names = open.at(-1)
      if (names !== undefined && isName(text, end)) checkName(text.slice(at, end), names)
      at = end - 1
    } else if (char === '{' || char === '[') {
      if (open.length === MOST_LEVELS) throw tooDeep()
      open.push(char === '{' ? new Set() : undefined)
    } else if (char === '}' || char === ']') open.pop()
  }
}

function tooDeep() {
  return badRequest(
    'body',
    `The body is nested deeper than ${MOST_LEVELS} levels.`,
    'Send a flatter document.',
  )
}

/** Behind the closing quote. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at + 1
  }
  return text.length
}

function isName(text: string, end: number): boolean {
  let at = end
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at++
  return text[at] === ':'
}

function checkName(quoted: string, names: Set<string>): void {
  const name = unquoted(quoted)
  if (name === '__proto__')
    throw badRequest('__proto__', '"__proto__" cannot be used as a name.', 'Choose another name.')
  if (names.has(name))
    throw badRequest(
      name,
      `The body contains ${JSON.stringify(name)} twice in one object.`,
      'Send each name once.',
    )
  names.add(name)
}

function unquoted(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted
  }
}
