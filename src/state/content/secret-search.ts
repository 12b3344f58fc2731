/**
 * If a resource's secrets have more characters than this, no value of it is shown: searching would take too much
 * memory.
 */
const MOST_CHARACTERS = 1_000_000
const CODES = 0x10000

/**
 * Finds any of many secrets in a text, in time that grows with the text alone (Aho and Corasick, 1975). Searching for
 * them one by one takes the product of both, and the author of a state controls both.
 */
export class SecretSearch {
  /** From a node by a character to the next: `node * CODES + code`. Node 0 is where nothing was read yet. */
  private readonly next = new Map<number, number>()
  private readonly parents: number[] = [0]
  private readonly codes: number[] = [0]
  private readonly depths: number[] = [0]
  private readonly isEnd: boolean[] = [false]
  /** Where the longest end of what was read that also begins a secret leads to. */
  private readonly fallback: number[] = [0]
  private readonly isTooMuch: boolean

  constructor(secrets: Iterable<string>, most = MOST_CHARACTERS) {
    let isTooMuch = false
    for (const secret of secrets) {
      if (!this.add(secret, most)) {
        isTooMuch = true
        break
      }
    }
    this.isTooMuch = isTooMuch
    if (!isTooMuch) this.link()
  }

  /** Also true if there are too many secrets to search for. */
  isIn(text: string): boolean {
    if (this.isTooMuch) return true
    if (this.parents.length === 1) return false
    let node = 0
    for (let i = 0; i < text.length; i++) {
      node = this.step(node, text.charCodeAt(i))
      if (this.isEnd[node] === true) return true
    }
    return false
  }

  private add(secret: string, most: number): boolean {
    let node = 0
    for (let i = 0; i < secret.length; i++) {
      // A shorter one is found wherever this one would be.
      if (this.isEnd[node] === true) return true
      const code = secret.charCodeAt(i)
      const known = this.next.get(node * CODES + code)
      if (known === undefined && this.parents.length > most) return false
      node = known ?? this.grow(node, code)
    }
    this.isEnd[node] = true
    return true
  }

  private grow(parent: number, code: number): number {
    const node = this.parents.length
    this.next.set(parent * CODES + code, node)
    this.parents.push(parent)
    this.codes.push(code)
    this.depths.push((this.depths[parent] ?? 0) + 1)
    this.isEnd.push(false)
    this.fallback.push(0)
    return node
  }

  /** Shorter ones first: a fallback is always shorter than what it is for. */
  private link(): void {
    const inOrder = Uint32Array.from(this.parents.keys()).sort(
      (a, b) => (this.depths[a] ?? 0) - (this.depths[b] ?? 0),
    )
    for (const node of inOrder) {
      const parent = this.parents[node] ?? 0
      if (node === 0 || parent === 0) continue
      const fallback = this.step(this.fallback[parent] ?? 0, this.codes[node] ?? 0)
      this.fallback[node] = fallback
      if (this.isEnd[fallback] === true) this.isEnd[node] = true
    }
  }

  private step(from: number, code: number): number {
    let node = from
    for (;;) {
      const next = this.next.get(node * CODES + code)
      if (next !== undefined) return next
      if (node === 0) return 0
      node = this.fallback[node] ?? 0
    }
  }
}
