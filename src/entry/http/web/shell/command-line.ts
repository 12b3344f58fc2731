type Filled = string | number | readonly string[]

/**
 * A command to paste. What is filled in may come from an address that someone else made, so it is quoted: a shell reads
 * it as one word, whatever it holds. Of a list, each is a word. Pure.
 */
export function shell(parts: readonly string[], ...filled: readonly Filled[]): string {
  return parts
    .reduce((text, part, at) => {
      const given = filled[at - 1] ?? []
      const words = (Array.isArray(given) ? (given as readonly string[]) : [String(given)]).map(quoted)
      return words.length === 0 ? text.trimEnd() + part : text + words.join(' ') + part
    })
    .trimEnd()
}

/** With its name, or nothing if there is no value. For `shell`. Pure. */
export function option(name: string, value: string | undefined): readonly string[] {
  return value === undefined || value === '' ? [] : [`--${name}`, value]
}

/** The lines of a command that have a text in them. For what a list is searched by, where a command has no option. Pure. */
export function matchingLines(command: string, text: string): string {
  return text === '' ? command : `${command} | grep -iF ${text.startsWith('-') ? '-- ' : ''}${quoted(text)}`
}

function quoted(word: string): string {
  if (/^[\w./:=@,+%-]+$/.test(word)) return word
  // A line break would run the first line as soon as it is pasted.
  const line = word.replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ')
  return `'${line.replaceAll("'", String.raw`'\''`)}'`
}
