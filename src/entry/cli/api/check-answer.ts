import { TacoError } from '../../../base/errors.ts'

/**
 * Checks of answers, as small as they can be: a schema library takes longer to load than a whole command may
 * take. Only what the CLI shows is checked, and fields it does not know are let through, so that it goes on
 * working against a newer server.
 */
export type Shape<T> = (value: unknown, at: string) => T

export type Of<S> = S extends Shape<infer T> ? T : never

export const text: Shape<string> = (value, at) => (typeof value === 'string' ? value : wrong(at, 'text'))
export const number: Shape<number> = (value, at) =>
  typeof value === 'number' ? value : wrong(at, 'a number')
export const flag: Shape<boolean> = (value, at) =>
  typeof value === 'boolean' ? value : wrong(at, 'true or false')

/** One of a few words, as far as this version knows them. A newer server may send others: show them, never rely on them. */
export function word<T extends string>(): Shape<T> {
  return (value, at) => text(value, at) as T
}

/** Null and left out mean the same to a reader. */
export function maybe<T>(shape: Shape<T>): Shape<T | null> {
  return (value, at) => (value === null || value === undefined ? null : shape(value, at))
}

export function list<T>(shape: Shape<T>): Shape<T[]> {
  return (value, at) =>
    Array.isArray(value) ? value.map((one, i) => shape(one, `${at}[${i}]`)) : wrong(at, 'a list')
}

export function record<T>(shape: Shape<T>): Shape<Record<string, T>> {
  return (value, at) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shape(one, `${at}.${name}`)]))
      : wrong(at, 'an object')
}

export function fields<T extends Readonly<Record<string, Shape<unknown>>>>(
  shapes: T,
): Shape<{ readonly [K in keyof T]: Of<T[K]> }> {
  return (value, at) => {
    if (!isObject(value)) return wrong(at, 'an object')
    const found: Record<string, unknown> = {}
    for (const [name, shape] of Object.entries(shapes)) found[name] = shape(value[name], `${at}.${name}`)
    return found as { readonly [K in keyof T]: Of<T[K]> }
  }
}

export function check<T>(shape: Shape<T>, value: unknown): T {
  return shape(value, 'the answer')
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function wrong(at: string, wanted: string): never {
  throw new TacoError('UNEXPECTED', `The answer of the server is invalid: ${at} is not ${wanted}.`, {
    hint: 'Compare the versions of taco and the server with `taco version`. Use --json to see the raw answer.',
  })
}
