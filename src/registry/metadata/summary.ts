const LONGEST = 200

/** The first sentence of a README that is neither a heading nor a picture, as plain text. Pure. */
export function summaryOf(readme: string): string {
  const paragraphs = readme
    // The patterns below take the square of it at worst.
    .slice(0, 4_000)
    .replaceAll('\r\n', '\n')
    .replaceAll(/^.+\n(?:=+|-+)[ \t]*$/gm, '')
    .split(/\n[ \t]*\n/)
  for (const paragraph of paragraphs) {
    const lines = paragraph.split('\n').filter((line) => !isHeading(line))
    const text = plain(lines.join(' '))
    if (text === '' || isOther(lines[0] ?? '')) continue
    // Short ones are abbreviations rather than sentences.
    const sentence = /^[^]{12,}?[.!?](?=\s|$)/.exec(text)?.[0] ?? text
    return sentence.length > LONGEST ? `${sentence.slice(0, LONGEST - 1).trimEnd()}…` : sentence
  }
  return ''
}

const isHeading = (line: string) => /^ {0,3}#{1,6}(\s|$)/.test(line)

/** A list, a table, a quotation, code or HTML. */
const isOther = (line: string) => /^ {0,3}([-*+]\s|\d{1,9}[.)]\s|\||>|```|~~~|<)/.test(line)

function plain(text: string): string {
  return text
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
