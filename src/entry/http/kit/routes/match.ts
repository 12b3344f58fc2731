import type { Method } from './route.ts'

interface Row {
  readonly method: Method
  readonly path: string
}

interface Node<R> {
  readonly fixed: Map<string, Node<R>>
  any: Node<R> | undefined
  /** Takes the rest of the path, slashes included. */
  rest: Node<R> | undefined
  readonly methods: Map<string, R>
}

export interface Matched<R> {
  /** By method; GET answers HEAD as well. */
  readonly methods: ReadonlyMap<string, R>
  /** The value for each name in braces, in order and still encoded. */
  readonly values: readonly string[]
}

/** Finds the rows of a path. A fixed part goes before a name in braces. */
export function createMatcher<R extends Row>(rows: readonly R[]): (path: string) => Matched<R> | undefined {
  const root = newNode<R>()
  for (const row of rows) {
    let at = root
    for (const part of row.path.slice(1).split('/')) at = childFor(at, part)
    if (at.methods.has(row.method)) throw new Error(`two routes: ${row.method} ${row.path}`)
    at.methods.set(row.method, row)
    if (row.method === 'GET') at.methods.set('HEAD', row)
  }

  function find(node: Node<R>, path: string, from: number, values: string[]): Node<R> | undefined {
    if (from > path.length) return node.methods.size > 0 ? node : undefined
    const slash = path.indexOf('/', from)
    const end = slash === -1 ? path.length : slash
    const part = path.slice(from, end)
    const fixed = node.fixed.get(part)
    const found = fixed === undefined ? undefined : find(fixed, path, end + 1, values)
    if (found !== undefined || part === '') return found
    const next = node.any ?? node.rest
    if (next === undefined) return undefined
    const isRest = node.any === undefined
    values.push(isRest ? path.slice(from) : part)
    const below = isRest ? next : find(next, path, end + 1, values)
    if (below === undefined) values.pop()
    return below
  }

  return (path) => {
    const values: string[] = []
    const node = find(root, path, 1, values)
    return node === undefined ? undefined : { methods: node.methods, values }
  }
}

/** The names in braces, in order. */
export function namesIn(path: string): readonly { readonly name: string; readonly isRest: boolean }[] {
  return Array.from(path.matchAll(/\{(\w+)(\.\.\.)?\}/g), ([, name = '', rest]) => ({
    name,
    isRest: rest !== undefined,
  }))
}

function newNode<R>(): Node<R> {
  return { fixed: new Map(), any: undefined, rest: undefined, methods: new Map() }
}

function childFor<R>(node: Node<R>, part: string): Node<R> {
  if (part.endsWith('...}')) return (node.rest ??= newNode())
  if (part.startsWith('{')) return (node.any ??= newNode())
  let child = node.fixed.get(part)
  if (child === undefined) node.fixed.set(part, (child = newNode()))
  return child
}
