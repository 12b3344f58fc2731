import { isBody } from './hcl.ts'
import { FUNCTIONS, type HclFunction } from './functions.ts'
import { OutputReference } from './reference.ts'
import { isScalar } from './values.ts'
import { IDENTIFIER } from '../../base/text/hcl-identifier.ts'

/** The values of names and functions in one file. A name that is a function returns its attributes one by one. */
export interface Scope {
  readonly names: Readonly<Record<string, unknown>>
  readonly functions?: Readonly<Record<string, HclFunction>>
}

/** Longer texts are not names of anything; locals that double each other would soon be. */
const LONGEST = 100_000

/**
 * The value of an expression as far as the code alone says; undefined: known only at run time. Each part of a map or a
 * list separately.
 */
export function evaluate(value: unknown, scope: Scope): unknown {
  if (typeof value === 'string') return fill(value, scope)
  if (Array.isArray(value)) return value.map((one) => evaluate(one, scope))
  if (!isBody(value)) return value
  const entries = Object.entries(value).flatMap(([name, one]) => {
    const key = fill(name, scope)
    return typeof key === 'string' ? [[key, evaluate(one, scope)] as const] : []
  })
  return Object.fromEntries(entries)
}

/** A map whose values are computed once, on demand. A value that needs itself is unknown. */
export function lazily(compute: Readonly<Record<string, () => unknown>>): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {}
  for (const [name, work] of Object.entries(compute)) {
    let value: unknown
    let isAsked = false
    const get = () => {
      if (isAsked) return value
      isAsked = true
      return (value = work())
    }
    Object.defineProperty(values, name, { enumerable: true, get })
  }
  return values
}

/** The attribute of a value, as `.name` and `["name"]` take it. */
export function attribute(value: unknown, key: unknown): unknown {
  if (typeof key !== 'string' && typeof key !== 'number') return undefined
  if (typeof value === 'function') return (value as (name: string) => unknown)(String(key))
  if (value instanceof OutputReference) return value.get(String(key))
  if (Array.isArray(value)) return (value as readonly unknown[])[Number(key)]
  return isBody(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

function fill(text: string, scope: Scope): unknown {
  if (!/[$%]\{/.test(text)) return text
  try {
    const reader = readerOf(text, scope)
    const filled = reader.template(() => reader.at() >= text.length)
    return typeof filled === 'string' && filled.length > LONGEST ? undefined : filled
  } catch {
    // Syntax that is not understood, or nested too deeply: a run will know.
    return undefined
  }
}

const NUMBER = /\d+(?:\.\d+)?(?:e[-+]?\d+)?/iy
const NAME = new RegExp(IDENTIFIER, 'uy')
const SPACE = /(?:\s|#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y
const OPERATORS = [['||'], ['&&'], ['==', '!='], ['<=', '>=', '<', '>'], ['+', '-'], ['*', '/', '%']] as const
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' }

/** Reads and computes in one go: expressions are short, and each is read once. */
function readerOf(text: string, scope: Scope) {
  let at = 0

  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) at += found.length
    return found
  }

  function takes(sign: string): boolean {
    take(SPACE)
    if (!text.startsWith(sign, at)) return false
    at += sign.length
    return true
  }

  function must(sign: string): void {
    if (!takes(sign)) throw new SyntaxError(sign)
  }

  /** One part alone keeps its type; several become text. */
  function template(isEnd: () => boolean): unknown {
    const parts: unknown[] = []
    let plain = ''
    while (!isEnd()) {
      if (at >= text.length) throw new SyntaxError('"')
      if (text.startsWith('$${', at) || text.startsWith('%%{', at)) {
        plain += text.slice(at + 1, at + 3)
        at += 3
      } else if (text.startsWith('${', at)) {
        at += 2
        if (text[at] === '~') at++
        if (plain !== '') parts.push(plain)
        plain = ''
        parts.push(expression())
        takes('~')
        must('}')
      } else if (text.startsWith('%{', at)) throw new SyntaxError('%{')
      else plain += text[at++] ?? ''
    }
    if (plain !== '') parts.push(plain)
    if (parts.length === 1) return parts[0]
    const texts = parts.map((part) => (isScalar(part) ? String(part) : undefined))
    return texts.includes(undefined) ? undefined : texts.join('')
  }

  function quoted(): unknown {
    // Inside of an expression escapes are still as they were written.
    const start = at
    let plain = ''
    let isSimple = true
    for (; text[at] !== '"'; at++) {
      if (at >= text.length || text.startsWith('${', at) || text.startsWith('%{', at)) isSimple = false
      if (!isSimple) break
      if (text[at] === '\\') plain += ESCAPES[text[++at] ?? ''] ?? ''
      else plain += text[at] ?? ''
    }
    if (!isSimple) at = start
    const value = isSimple ? plain : template(() => text[at] === '"')
    at++
    return value
  }

  function expression(): unknown {
    const condition = binary(0)
    if (!takes('?')) return condition
    const yes = expression()
    must(':')
    const no = expression()
    return condition === true ? yes : condition === false ? no : undefined
  }

  function binary(level: number): unknown {
    const signs: readonly string[] | undefined = OPERATORS[level]
    if (signs === undefined) return unary()
    let left = binary(level + 1)
    for (;;) {
      const sign = signs.find((one) => takes(one))
      if (sign === undefined) return left
      left = compute(sign, left, binary(level + 1))
    }
  }

  function unary(): unknown {
    if (takes('!')) {
      const value = unary()
      return typeof value === 'boolean' ? !value : undefined
    }
    if (takes('-')) {
      const value = unary()
      return typeof value === 'number' ? -value : undefined
    }
    return postfix(primary())
  }

  function postfix(value: unknown): unknown {
    for (;;) {
      if (text.startsWith('...', at)) return value
      if (text[at] === '.') {
        at++
        const key = take(NAME) ?? take(/\d+/y)
        if (key === undefined) throw new SyntaxError('.')
        value = attribute(value, key)
      } else if (text[at] === '[') {
        at++
        value = attribute(value, expression())
        must(']')
      } else return value
    }
  }

  function primary(): unknown {
    take(SPACE)
    const number = take(NUMBER)
    if (number !== undefined) return Number(number)
    const sign = text[at]
    if (sign === '"') {
      at++
      return quoted()
    }
    if (sign === '(') {
      at++
      const value = expression()
      must(')')
      return value
    }
    if (sign === '[') {
      at++
      return list(']')
    }
    if (sign === '{') {
      at++
      return map()
    }
    const name = take(NAME)
    if (name === undefined || name === 'for') throw new SyntaxError(sign)
    if (text[at] !== '(') return named(name)
    at++
    const args = list(')')
    const own = scope.functions?.[name] ?? (Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined)
    return own?.(...args)
  }

  function named(name: string): unknown {
    if (name === 'true' || name === 'false') return name === 'true'
    return name === 'null' ? null : Object.hasOwn(scope.names, name) ? scope.names[name] : undefined
  }

  function list(end: string): unknown[] {
    const items: unknown[] = []
    while (!takes(end)) {
      const value = expression()
      if (takes('...')) items.push(...(Array.isArray(value) ? (value as unknown[]) : [undefined]))
      else items.push(value)
      if (takes(end)) break
      must(',')
    }
    return items
  }

  function map(): unknown {
    const entries: [string, unknown][] = []
    let isWhole = true
    while (!takes('}')) {
      const key = text[at] === '"' || text[at] === '(' ? primary() : take(NAME)
      if (key === undefined && text[at] !== '=' && text[at] !== ':' && !/\s/.test(text[at] ?? ''))
        throw new SyntaxError('{')
      if (key === 'for') throw new SyntaxError('for')
      if (!takes('=')) must(':')
      const value = expression()
      if (isScalar(key)) entries.push([String(key), value])
      else isWhole = false
      takes(',')
    }
    return isWhole ? Object.fromEntries(entries) : undefined
  }

  return { template, at: () => at }
}

function compute(sign: string, left: unknown, right: unknown): unknown {
  if (sign === '&&' || sign === '||') {
    const decides = sign === '||'
    if (left === decides || right === decides) return decides
    return typeof left === 'boolean' && typeof right === 'boolean' ? !decides : undefined
  }
  const isKnown = (value: unknown) => value === null || isScalar(value)
  if (sign === '==' || sign === '!=')
    return isKnown(left) && isKnown(right) ? (left === right) === (sign === '==') : undefined
  return undefined
}
