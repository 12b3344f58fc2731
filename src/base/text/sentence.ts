/** For texts from outside, such as a parser's: our own are written as sentences. */
export function sentence(text: string): string {
  const begun = text.slice(0, 1).toUpperCase() + text.slice(1)
  return /[.?!]$/.test(begun) ? begun : `${begun}.`
}
