import type { Child } from 'hono/jsx'
import { Code, REACHABLE } from '../../shell/parts.tsx'
import { type Block, blocksOf } from './blocks.ts'
import { type Inline, inlineOf, plainText } from './inline.ts'

interface MarkdownProps {
  readonly text: string
  /** Where a link to a file beside the text leads. Undefined: nowhere, so it is text. */
  readonly pathOf?: (file: string) => string | undefined
}

/**
 * A text that someone else wrote. Nothing of it becomes HTML: it is read as Markdown, and links lead to https, http
 * and mailto only. Pictures are links, for pages load nothing from elsewhere.
 */
export function Markdown({ text, pathOf = () => undefined }: MarkdownProps) {
  const slugs = new Map<string, number>()
  let left = MOST_PARTS
  const isFull = () => --left < 0
  const inline = (of: string): Child => (isFull() ? null : partsOf(inlineOf(of)))
  const partsOf = (parts: readonly Inline[]): Child =>
    parts.map((part) => (isFull() ? null : inlinePart(part, partsOf, pathOf)))

  function idOf(heading: string): string {
    const slug = slugOf(plainText(inlineOf(heading)))
    const before = slugs.get(slug) ?? 0
    slugs.set(slug, before + 1)
    return `readme-${slug}${before === 0 ? '' : `-${before}`}`
  }

  function shown(block: Block): Child {
    if (isFull()) return null
    switch (block.kind) {
      case 'heading': {
        // The title of the page is above all of them.
        const Heading = HEADINGS[block.level - 1] ?? 'h6'
        return <Heading id={idOf(block.text)}>{inline(block.text)}</Heading>
      }
      case 'paragraph':
        return <p>{inline(block.text)}</p>
      case 'code':
        return <Code label="Code">{block.text}</Code>
      case 'list': {
        const items = block.items.map((item) =>
          isFull() ? null : <li>{item.map((one) => insideItem(one))}</li>,
        )
        return block.isOrdered ? <ol>{items}</ol> : <ul>{items}</ul>
      }
      case 'quote':
        return <blockquote>{block.blocks.map(shown)}</blockquote>
      case 'table':
        return (
          <section class="scroll" {...REACHABLE} aria-label="Table">
            <table>
              <thead>
                <tr>
                  {block.head.map((cell) => (
                    <th scope="col">{inline(cell)}</th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {block.rows.map((row) =>
                  isFull() ? null : (
                    <tr>
                      {row.map((cell) => (
                        <td>{inline(cell)}</td>
                      ))}
                    </tr>
                  ),
                )}
              </tbody>
            </table>
          </section>
        )
      default:
        return <hr />
    }
  }

  /** A paragraph in an item needs no room of its own. */
  function insideItem(block: Block): Child {
    return block.kind === 'paragraph' ? <div>{inline(block.text)}</div> : shown(block)
  }

  const blocks = blocksOf(text).map(shown)
  return (
    <div class="prose">
      {blocks}
      {left < 0 && <p class="muted">The rest is not shown: the text has too many parts.</p>}
    </div>
  )
}

/** Blocks, cells, links and the like. No README that people wrote has as many; each takes a while to make. */
const MOST_PARTS = 20_000

const HEADINGS = ['h2', 'h3', 'h4', 'h5', 'h6'] as const

function inlinePart(part: Inline, inner: (parts: readonly Inline[]) => Child, pathOf: PathOf): Child {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'code':
      return <code>{part.text}</code>
    case 'break':
      return <br />
    case 'strong':
      return <strong>{inner(part.parts)}</strong>
    case 'emphasis':
      return <em>{inner(part.parts)}</em>
    case 'struck':
      return <s>{inner(part.parts)}</s>
    default: {
      const href = safeLink(part.to, pathOf)
      if (href === undefined) return inner(part.parts)
      return (
        <a href={href} rel="noopener noreferrer nofollow">
          {inner(part.parts)}
        </a>
      )
    }
  }
}

type PathOf = (file: string) => string | undefined

/** Undefined: it leads nowhere that a text of someone else may lead to. Pure. */
export function safeLink(to: string, pathOf: PathOf): string | undefined {
  if (/^(https?:\/\/|mailto:)/i.test(to)) return URL.canParse(to) ? to : undefined
  if (to.startsWith('#')) return to.length > 1 ? `#readme-${slugOf(to.slice(1))}` : undefined
  // Anything else with a scheme, and what begins at the top of this server.
  if (/^[a-z][a-z0-9+.-]*:/i.test(to) || /^[/\\]/.test(to)) return undefined
  return pathOf(to.replace(/^(\.\/)+/, '').replace(/[?#].*$/, ''))
}

/** As GitHub makes the addresses of headings. */
function slugOf(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
    .slice(0, 100)
}
