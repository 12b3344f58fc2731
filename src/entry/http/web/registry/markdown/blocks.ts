/** A block of a Markdown text: as much of it as README files use. Their inline parts stay text. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | {
      readonly kind: 'table'
      readonly head: readonly string[]
      readonly rows: readonly (readonly string[])[]
    }
  | { readonly kind: 'rule' }

/** Lists and quotations inside each other; what is deeper is text. */
const MOST_LEVELS = 8
/** Longer lines are text, whatever they begin with: patterns could take long to say so. */
const LONGEST_LINE = 2_000
const MOST_COLUMNS = 50

const FENCE = /^ {0,3}(`{3,}|~{3,})/
const HEADING = /^ {0,3}(#{1,6})(?=[ \t]|$)/
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])( {1,4}|$)/
const QUOTE = /^ {0,3}> ?/
const INDENTED = /^(?: {4}|\t)/
const DELIMITERS = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/

/** Linear in the length of the text, whatever it is. Pure. */
export function blocksOf(text: string): readonly Block[] {
  const withoutComments = text.replaceAll('\r\n', '\n').replaceAll(/<!--[^]*?(?:-->|$)/g, '')
  return blocksIn(withoutComments.split('\n'), 0)
}

function blocksIn(lines: readonly string[], level: number): readonly Block[] {
  const blocks: Block[] = []
  let at = 0
  while (at < lines.length) {
    const taken = isBlank(lines[at]) ? { next: at + 1 } : takeBlock(lines, at, level)
    if ('block' in taken && taken.block !== undefined) blocks.push(taken.block)
    at = taken.next
  }
  return blocks
}

interface TakenBlock {
  readonly block?: Block
  readonly next: number
}

function takeBlock(lines: readonly string[], at: number, level: number): TakenBlock {
  const line = lines[at] ?? ''
  if (line.length > LONGEST_LINE) return takeParagraph(lines, at)
  const fence = FENCE.exec(line)?.[1]
  if (fence !== undefined) return takeFenced(lines, at, fence)
  const heading = HEADING.exec(line)
  if (heading !== null) {
    const text = withoutMarks(line.slice(heading[0].length).trim())
    return { block: { kind: 'heading', level: heading[1]?.length ?? 1, text }, next: at + 1 }
  }
  if (RULE.test(line)) return { block: { kind: 'rule' }, next: at + 1 }
  if (level < MOST_LEVELS && QUOTE.test(line)) return takeQuote(lines, at, level)
  if (level < MOST_LEVELS && ITEM.test(line)) return takeList(lines, at, level)
  if (INDENTED.test(line)) return takeIndented(lines, at)
  if (line.includes('|') && isDelimiters(lines[at + 1] ?? '')) return takeTable(lines, at)
  return takeParagraph(lines, at)
}

/** `Title ##`, as some write headings, is `Title`. A pattern could take the square of the length of the line. */
function withoutMarks(text: string): string {
  let end = text.length
  while (text[end - 1] === '#') end--
  const isMarks = end < text.length && /^[ \t]?$/.test(text[end - 1] ?? '')
  return isMarks ? text.slice(0, end).trimEnd() : text
}

function takeFenced(lines: readonly string[], at: number, fence: string): TakenBlock {
  const indent = /^ */.exec(lines[at] ?? '')?.[0].length ?? 0
  const closes = (line: string) => line.trim().startsWith(fence) && /^[`~]+$/.test(line.trim())
  let end = at + 1
  while (end < lines.length && !closes(lines[end] ?? '')) end++
  const text = lines.slice(at + 1, end).map((line) => outdented(line, indent))
  return { block: { kind: 'code', text: text.join('\n') }, next: end + 1 }
}

function takeIndented(lines: readonly string[], at: number): TakenBlock {
  let end = at
  while (end < lines.length && (INDENTED.test(lines[end] ?? '') || isBlank(lines[end]))) end++
  const text = lines.slice(at, end).map((line) => line.replace(INDENTED, ''))
  return { block: { kind: 'code', text: text.join('\n').trimEnd() }, next: end }
}

function takeQuote(lines: readonly string[], at: number, level: number): TakenBlock {
  let end = at
  while (end < lines.length && !isBlank(lines[end])) end++
  const inner = lines.slice(at, end).map((line) => line.replace(QUOTE, ''))
  return { block: { kind: 'quote', blocks: blocksIn(inner, level + 1) }, next: end }
}

function takeList(lines: readonly string[], first: number, level: number): TakenBlock {
  const isOrdered = /\d/.test(ITEM.exec(lines[first] ?? '')?.[2] ?? '')
  const items: (readonly Block[])[] = []
  let at = first
  for (let item = ITEM.exec(lines[at] ?? ''); item !== null; item = ITEM.exec(lines[at] ?? '')) {
    if (/\d/.test(item[2] ?? '') !== isOrdered || RULE.test(lines[at] ?? '')) break
    const width = item[0].length
    const inner = [(lines[at] ?? '').slice(width)]
    for (at += 1; at < lines.length; at += 1) {
      const line = lines[at] ?? ''
      const isInside = line.startsWith(' '.repeat(Math.min(width, 2))) || line.startsWith('\t')
      // A blank line belongs to the item if what follows does.
      const goesOn = isBlank(line) ? /^( {2}|\t)/.test(lines[at + 1] ?? '') : isInside || isLazy(lines, at)
      if (!goesOn) break
      inner.push(outdented(line, width))
    }
    items.push(blocksIn(inner, level + 1))
    while (isBlank(lines[at]) && at < lines.length && ITEM.test(lines[at + 1] ?? '')) at++
  }
  return { block: { kind: 'list', isOrdered, items }, next: at }
}

/** The next line of a paragraph, which need not be indented. */
function isLazy(lines: readonly string[], at: number): boolean {
  return !isBlank(lines[at - 1]) && !startsBlock(lines[at] ?? '') && !ITEM.test(lines[at] ?? '')
}

function outdented(line: string, width: number): string {
  const indent = /^ */.exec(line)?.[0].length ?? 0
  return line.startsWith('\t') ? line.slice(1) : line.slice(Math.min(indent, width))
}

function takeTable(lines: readonly string[], at: number): TakenBlock {
  const head = cellsOf(lines[at] ?? '').slice(0, MOST_COLUMNS)
  let end = at + 2
  const rows: (readonly string[])[] = []
  for (; end < lines.length && !isBlank(lines[end]) && (lines[end] ?? '').includes('|'); end++) {
    // Short rows stay short: filled up, a small text would become a huge table.
    rows.push(cellsOf(lines[end] ?? '').slice(0, head.length))
  }
  return { block: { kind: 'table', head, rows }, next: end }
}

const isDelimiters = (line: string) => line.length <= LONGEST_LINE && DELIMITERS.test(line)

/** `\|` is a bar in a cell. */
function cellsOf(line: string): readonly string[] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '')
  return inner.split(/(?<!\\)\|/).map((cell) => cell.replaceAll('\\|', '|').trim())
}

function takeParagraph(lines: readonly string[], at: number): TakenBlock {
  let end = at + 1
  while (end < lines.length && !isBlank(lines[end]) && !startsBlock(lines[end] ?? '')) {
    // A line of = or - below makes a heading of what is above it.
    const under = /^ {0,3}(=+|-+)[ \t]*$/.exec(lines[end] ?? '')?.[1]
    if (under !== undefined) {
      const text = lines.slice(at, end).join(' ').trim()
      return { block: { kind: 'heading', level: under.startsWith('=') ? 1 : 2, text }, next: end + 1 }
    }
    end++
  }
  return { block: { kind: 'paragraph', text: lines.slice(at, end).join('\n') }, next: end }
}

function startsBlock(line: string): boolean {
  const isUnderline = /^ {0,3}-+[ \t]*$/.test(line)
  if (isUnderline || line.length > LONGEST_LINE) return false
  return (
    [FENCE, HEADING, RULE, QUOTE].some((pattern) => pattern.test(line)) || /^ {0,3}([-*+]|1[.)]) /.test(line)
  )
}

const isBlank = (line: string | undefined) => line === undefined || line.trim() === ''
