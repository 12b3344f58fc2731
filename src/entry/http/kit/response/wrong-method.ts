import { TacoError } from '../../../../base/errors.ts'

/** A known address, and a method that it does not take: 405, for which no error code stands. */
export class WrongMethod extends Error {
  readonly error = new TacoError('BAD_REQUEST', 'this address does not take that method', {
    facts: { field: 'method' },
    hint: 'The Allow header lists those it takes; /v1/openapi.json describes them.',
  })
  readonly options: { readonly status: 405; readonly headers: { readonly allow: string } }

  constructor(allowed: readonly string[]) {
    super('wrong method')
    this.options = { status: 405, headers: { allow: allowed.join(', ') } }
  }
}

/** What is to be said about an error, and how. */
export function asProblem(error: unknown): {
  readonly error: unknown
  readonly options?: WrongMethod['options']
} {
  return error instanceof WrongMethod ? error : { error }
}

/** The methods of every route whose path fits, HEAD with GET; undefined where none does. */
export function methodsAt(
  path: string,
  routes: readonly { readonly method: string; readonly path: string }[],
): readonly string[] | undefined {
  const own = routes.filter(({ method, path: pattern }) => method !== 'ALL' && fits(pattern, path))
  if (own.length === 0) return undefined
  return [...new Set(own.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))]
}

function fits(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  if (wanted.length !== given.length) return false
  return wanted.every((part, i) => (part.startsWith(':') ? given[i] !== '' : part === given[i]))
}
