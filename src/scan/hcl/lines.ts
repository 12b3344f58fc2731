/** Where a key of HCL is set: its line, counted from 1, and the headers of the blocks around it, outermost first. */
export interface KeyPlace {
  readonly line: number
  readonly inside: readonly string[]
}

/** Comments, strings on one line, and what opens, closes or sets something. */
const TOKENS = /#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|[{}\n]|[\w-]+(?=[ \t]*=[^=>])/g

/**
 * The parser gives no lines, so they are looked up in the text. The content of a heredoc counts as code: it is where
 * Terragrunt keeps the backends that it generates.
 */
export function placesOfKey(text: string, key: string): readonly KeyPlace[] {
  const found: KeyPlace[] = []
  const inside: string[] = []
  let line = 1
  /** Where the header of a block may begin. */
  let start = 0
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (token === key) found.push({ line, inside: [...inside] })
    if (token === '{') inside.push(text.slice(start, index).trim())
    if (token === '}') inside.pop()
    line += token.split('\n').length - 1
    if ('{}\n'.includes(token)) start = index + 1
  }
  return found
}

/** The same for JSON, whose keys are quoted; blocks are not distinguished. */
export function placesOfJsonKey(text: string, key: string): readonly KeyPlace[] {
  return text
    .split('\n')
    .flatMap((line, at) => (line.includes(`"${key}"`) ? [{ line: at + 1, inside: [] }] : []))
}
