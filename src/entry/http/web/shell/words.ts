/** Names or patterns in a text field, separated by spaces, commas or lines. Undefined: there are none. Pure. */
export function wordsIn(text = ''): string[] | undefined {
  const words = text.split(/[\s,]+/).filter(Boolean)
  return words.length === 0 ? undefined : words
}
