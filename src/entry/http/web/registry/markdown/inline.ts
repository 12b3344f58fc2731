/** A part of a line of Markdown. */
export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'break' }
  | { readonly kind: 'strong' | 'emphasis' | 'struck'; readonly parts: readonly Inline[] }
  | { readonly kind: 'link'; readonly to: string; readonly parts: readonly Inline[] }

const MOST_LEVELS = 6
/** Longer rows of backticks are text: looking for the end of each of many lengths would take too long. */
const MOST_TICKS = 8
/** All of them are bounded, so that no text takes longer than its length says. */
const LINKED_IMAGE = /\[!\[([^[\]]{0,300})\]\([^()]{0,1000}\)\]\(\s{0,9}<?([^()\s<>]{0,1000})[^()]{0,300}\)/y
const IMAGE = /!\[([^[\]]{0,300})\]\(\s{0,9}<?([^()\s<>]{0,1000})[^()]{0,300}\)/y
const LINK = /\[((?:[^[\]\\]|\\.){0,500})\]\(\s{0,9}<?([^()\s<>]{0,1000})>?(?:\s{1,9}["'][^()]{0,300})?\)/y
const AUTOLINK = /<(https?:\/\/[^\s<>]{1,1000})>/y
const ADDRESS = /https?:\/\/[^\s<>"'`[\]{}|\\^]{1,1000}/y
const BREAK = /<br\s{0,5}\/?>|(?: {2,9}|\\)\n/iy
/** HTML has no effect: its text stays. */
const TAG = /<\/?[A-Za-z][^<>]{0,1000}>/y
const ENTITY = /&(amp|lt|gt|quot|nbsp|#39|#124);/y
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: '\u00A0',
  '#39': "'",
  '#124': '|',
}
const MARKS = [
  ['**', 'strong'],
  ['__', 'strong'],
  ['~~', 'struck'],
  ['*', 'emphasis'],
  ['_', 'emphasis'],
] as const

/** Linear in the length of the text, whatever it is. Pure. */
export function inlineOf(text: string, level = 0): readonly Inline[] {
  const parts: Inline[] = []
  /** Marks that end nowhere behind here. */
  const isMissing = new Set<string>()
  let plain = ''
  let at = 0

  function add(part: Inline, next: number): void {
    if (plain !== '') parts.push({ kind: 'text', text: plain })
    plain = ''
    parts.push(part)
    at = next
  }
  function match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at
    return pattern.exec(text)
  }
  /** Where a mark that begins here ends. */
  function endOf(mark: string, from: number): number {
    if (isMissing.has(mark)) return -1
    const end = text.indexOf(mark, from)
    if (end === -1) isMissing.add(mark)
    return end
  }
  const inner = (of: string): readonly Inline[] =>
    level < MOST_LEVELS ? inlineOf(of, level + 1) : [{ kind: 'text', text: of }]

  function takeMarked(): boolean {
    for (const [mark, kind] of MARKS) {
      if (!text.startsWith(mark, at)) continue
      const from = at + mark.length
      const isWord = mark.startsWith('_') && /\w/.test(text[at - 1] ?? '')
      const end = isWord || /\s|^$/.test(text[from] ?? '') ? -1 : endOf(mark, from + 1)
      if (end === -1 || /\s/.test(text[end - 1] ?? '')) return false
      if (mark.startsWith('_') && /\w/.test(text[end + mark.length] ?? '')) return false
      add({ kind, parts: inner(text.slice(from, end)) }, end + mark.length)
      return true
    }
    return false
  }

  function takeCode(): boolean {
    const ticks = /`+/y
    ticks.lastIndex = at
    const mark = ticks.exec(text)?.[0]
    if (mark === undefined) return false
    const end = mark.length > MOST_TICKS ? -1 : endOf(mark, at + mark.length)
    if (end === -1) {
      plain += mark
      at += mark.length
    } else add({ kind: 'code', text: text.slice(at + mark.length, end).trim() }, end + mark.length)
    return true
  }

  function takeLink(): boolean {
    const [found, alt, to] = match(LINKED_IMAGE) ?? match(IMAGE) ?? []
    if (found !== undefined) {
      add(
        { kind: 'link', to: to ?? '', parts: [{ kind: 'text', text: alt || 'picture' }] },
        at + found.length,
      )
      return true
    }
    const link = match(LINK)
    if (link === null) return false
    add({ kind: 'link', to: link[2] ?? '', parts: inner(link[1] ?? '') }, at + link[0].length)
    return true
  }

  function takeAddress(pattern: RegExp): boolean {
    const found = match(pattern)
    if (found === null) return false
    const to = found[1] ?? found[0].replace(/[.,;:!?)]+$/, '')
    const next = at + (found[1] === undefined ? to.length : found[0].length)
    add({ kind: 'link', to, parts: [{ kind: 'text', text: to }] }, next)
    return true
  }

  /** True: something was taken. */
  function take(): boolean {
    switch (text[at]) {
      case '\\': {
        const next = text[at + 1] ?? ''
        if (!/[!-/:-@[-`{-~]/.test(next)) break
        plain += next
        at += 2
        return true
      }
      case '`':
        return takeCode()
      case '!':
      case '[':
        return takeLink()
      case '*':
      case '_':
      case '~':
        return takeMarked()
      case 'h':
        return !/\w/.test(text[at - 1] ?? '') && takeAddress(ADDRESS)
      case '&': {
        const entity = match(ENTITY)
        if (entity === null) return false
        plain += ENTITIES[entity[1] ?? ''] ?? ''
        at += entity[0].length
        return true
      }
      case '<':
      case ' ': {
        const line = match(BREAK)
        if (line !== null) {
          add({ kind: 'break' }, at + line[0].length)
          return true
        }
        if (text[at] === ' ') return false
        if (takeAddress(AUTOLINK)) return true
        const tag = match(TAG)
        if (tag === null) return false
        at += tag[0].length
        return true
      }
      default:
    }
    return false
  }

  while (at < text.length) {
    if (take()) continue
    plain += text[at] ?? ''
    at += 1
  }
  if (plain !== '') parts.push({ kind: 'text', text: plain })
  return parts
}

/** What a reader would see. Pure. */
export function plainText(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      if ('text' in part) return part.text
      return 'parts' in part ? plainText(part.parts) : ' '
    })
    .join('')
}
