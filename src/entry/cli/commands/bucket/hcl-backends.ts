/**
 * Where the code of a configuration says where its state is: the `backend` and `cloud` blocks inside `terraform`, by
 * their places in the text, so that one of them can be replaced and everything else stays byte for byte. Pure.
 */
export interface FoundBackend {
  /** For people: `backend "s3"`. */
  readonly says: string
  readonly start: number
  /** Behind its closing brace. */
  readonly end: number
  readonly line: number
}

interface Word {
  readonly text: string
  readonly start: number
}

export function backendsIn(text: string): readonly FoundBackend[] {
  const found: FoundBackend[] = []
  /** One for every open brace: the text before it. */
  const open: { readonly head: readonly Word[]; readonly isTerraform: boolean }[] = []
  let head: Word[] = []
  for (let at = 0; at < text.length;) {
    const after = afterNonCode(text, at)
    if (after > at) {
      if (text[at] === '"') head.push({ text: text.slice(at, after), start: at })
      at = after
      continue
    }
    const char = text[at] ?? ''
    const [word] = /^[\p{L}_][\p{L}\p{N}_-]*/u.exec(text.slice(at, at + 200)) ?? []
    if (word !== undefined) {
      head.push({ text: word, start: at })
      at += word.length
      continue
    }
    if (char === '{' || char === '[' || char === '(') {
      const isTerraform =
        char === '{' && open.length === 0 && head.length === 1 && head[0]?.text === 'terraform'
      open.push({ head: char === '{' ? head : [], isTerraform })
      head = []
    } else if (char === '}' || char === ']' || char === ')') {
      const block = open.pop()
      const [first, label] = block?.head ?? []
      const isInside = open.length === 1 && open[0]?.isTerraform === true
      if (isInside && first !== undefined && (first.text === 'backend' || first.text === 'cloud')) {
        const says = label === undefined ? first.text : `${first.text} ${label.text}`
        const line = text.slice(0, first.start).split('\n').length
        found.push({ says, start: first.start, end: at + 1, line })
      }
      head = []
    } else if (char === '\n' || !/\s/.test(char)) head = []
    at++
  }
  return found
}

/** Behind the comment, the text or the heredoc that begins here; the same place where none does. */
function afterNonCode(text: string, at: number): number {
  if (text[at] === '#' || text.startsWith('//', at)) return lineEnd(text, at)
  if (text.startsWith('/*', at)) return behind(text, '*/', at + 2)
  if (text[at] === '"') return afterQuoted(text, at)
  const heredoc = /^<<-?([\p{L}_][\p{L}\p{N}_-]*)[^\n]*\n/u.exec(text.slice(at, at + 300))
  if (heredoc === null) return at
  const start = at + heredoc[0].length
  const end = new RegExp(`^[ \\t]*${heredoc[1]}[ \\t]*\\r?$`, 'mu')
  const match = end.exec(text.slice(start))
  return match === null ? text.length : start + match.index + match[0].length
}

/** A text ends at its quote, and there may be whole texts in what is interpolated into it. */
function afterQuoted(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at + 1
    else if (text.startsWith('$${', at) || text.startsWith('%%{', at)) at += 2
    else if (text.startsWith('${', at) || text.startsWith('%{', at)) at = afterTemplate(text, at + 2) - 1
  }
  return text.length
}

function afterTemplate(text: string, start: number): number {
  let depth = 1
  for (let at = start; at < text.length;) {
    const after = afterNonCode(text, at)
    if (after > at) {
      at = after
      continue
    }
    if (text[at] === '{') depth++
    if (text[at] === '}' && --depth === 0) return at + 1
    at++
  }
  return text.length
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

function behind(text: string, what: string, from: number): number {
  const at = text.indexOf(what, from)
  return at === -1 ? text.length : at + what.length
}

/** `block` in the place of one that is there, indented and with line ends like the text around it. */
export function replaced(text: string, { start, end }: FoundBackend, block: string): string {
  const [indent = ''] = /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', start - 1) + 1, start)) ?? []
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = block.split('\n').map((line, i) => (i === 0 ? line : indent + line))
  return text.slice(0, start) + lines.join(newline) + text.slice(end)
}
