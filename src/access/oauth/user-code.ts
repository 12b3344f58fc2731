import { randomInt } from 'node:crypto'

/** RFC 8628 section 6.1: no vowels, so that no words appear, and no digits that look like letters. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8

export function newUserCode(): string {
  return Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')
}

/** As people type it: in any case, with or without dashes and spaces. Undefined: it cannot be one. */
export function readUserCode(typed: string): string | undefined {
  const letters = typed.toUpperCase().replace(/[\s-]/g, '')
  return letters.length === LENGTH && [...letters].every((one) => LETTERS.includes(one)) ? letters : undefined
}

export function showUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`
}
