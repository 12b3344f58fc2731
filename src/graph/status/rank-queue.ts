/** Each node once at a time, the one with the lowest rank first: a binary heap of ranks. */
export class RankQueue {
  readonly #rank: Int32Array
  readonly #heap: number[] = []
  readonly #isIn: Uint8Array

  constructor(rank: Int32Array) {
    this.#rank = rank
    this.#isIn = new Uint8Array(rank.length)
  }

  add(node: number): void {
    if (this.#isIn[node] === 1) return
    this.#isIn[node] = 1
    const heap = this.#heap
    let at = heap.length
    heap.push(node)
    while (at > 0) {
      const above = (at - 1) >> 1
      if (this.#rankAt(above) <= this.#rankAt(at)) return
      this.#exchange(at, above)
      at = above
    }
  }

  take(): number | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined) return undefined
    this.#isIn[first] = 0
    if (heap.length === 0) return first
    heap[0] = last
    for (let at = 0; ;) {
      let least = at
      for (const below of [2 * at + 1, 2 * at + 2])
        if (below < heap.length && this.#rankAt(below) < this.#rankAt(least)) least = below
      if (least === at) return first
      this.#exchange(at, least)
      at = least
    }
  }

  #rankAt(at: number): number {
    return this.#rank[this.#heap[at] ?? 0] ?? 0
  }

  #exchange(a: number, b: number): void {
    const heap = this.#heap
    const kept = heap[a] ?? 0
    heap[a] = heap[b] ?? 0
    heap[b] = kept
  }
}
