import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { ErrorText } from './error-texts.ts'
import { errorTexts } from './error-texts.ts'

const MOST_CHARACTERS = { message: 200, hint: 260 }

/** Words that a native technical writer would not use here; CONTRIBUTING.md has the usual ones. */
const FOREIGN =
  /\b(nobody|somebody|anybody|everybody|whoever|stands?|lies?|tells? of|is none|of its own|of ours|speaks? of|keeps? book)\b/i

/** Undefined: as it should be. */
function faultOf({ kind, text, isOpenEnded }: ErrorText): string | undefined {
  if (!/^([A-Z"'`…/]|-|taco\.yaml )/.test(text)) return 'does not begin with a capital letter or a name'
  // After a full stop, what is filled in is a sentence itself.
  if (!/[.?!]( …)?$/.test(text) && (isOpenEnded || !text.endsWith('…')))
    return 'does not end with a full stop'
  if (text.endsWith('..')) return 'ends with two full stops'
  if (FOREIGN.test(text)) return `says "${FOREIGN.exec(text)?.[0]}"`
  if (text.length > MOST_CHARACTERS[kind]) return 'is too long'
  return undefined
}

function faultsIn(src: string): readonly string[] {
  return errorTexts(src).flatMap((one) => {
    const fault = faultOf(one)
    return fault === undefined ? [] : [`${one.place} ${one.kind} ${fault}: ${one.text}`]
  })
}

test('messages and hints of errors are full sentences in plain English', () => {
  const src = fileURLToPath(new URL('../src', import.meta.url))

  expect(errorTexts(src).length).toBeGreaterThan(600)
  expect(faultsIn(src)).toEqual([])
})

test.each([
  ['a literal', `throw new TacoError('X', 'no stop')`],
  ['a hint', `throw new TacoError('X', 'Fine.', { hint: 'lower case.' })`],
  ['a template', 'throw new TacoError(`X`, `Unit ${name}`)'],
  ['a choice', `throw new TacoError('X', isBad ? 'Bad.' : 'Good')`],
  ['a constant', `const WHY = 'not this'\nthrow new TacoError('X', WHY)`],
  ['a parameter', `function fail(why: string) { throw badRequest('f', why) }\nfail('not this')`],
  ['a function', `function why() { return 'not this' }\nthrow new TacoError('X', why())`],
  ['a table', `const whys = { a: 'not this' }\nthrow new TacoError('X', whys[key])`],
  [
    'a tuple',
    `function both() { return ['Yes.', 'not this'] }\nconst [message, hint] = both()\nthrow new TacoError('X', message, { hint })`,
  ],
  ['the end of a template', "const more = 'no stop'\nthrow new TacoError('X', `Fine. ${more}`)"],
  ['a finding', `say('error', 'check', 'Fine.', 'not this')`],
  ['a foreign word', `throw new TacoError('X', 'Nobody knows.')`],
  ['a long text', `throw new TacoError('X', 'A${' long'.repeat(60)}.')`],
])('a fault in %s is found', (_where, code) => {
  const folder = mkdtempSync(join(tmpdir(), 'taco-texts-'))
  try {
    writeFileSync(join(folder, 'a.ts'), code)
    expect(faultsIn(folder)).toHaveLength(1)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
