import { type HclBody, isBody } from './hcl.ts'
import { OutputReference } from './reference.ts'

/** The results of expressions. */

export function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

export function isKnownList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && !value.includes(undefined)
}

export function isMap(value: unknown): value is HclBody {
  return isBody(value) && !(value instanceof OutputReference)
}
