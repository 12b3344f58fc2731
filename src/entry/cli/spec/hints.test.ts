import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parseArgs } from './parse-args.ts'
import { program } from '../program.ts'
import { allCommands } from './spec.ts'

const src = fileURLToPath(new URL('../../..', import.meta.url))
const commands = new Set([...allCommands(program)].map(({ path }) => path.join(' ')))

/** Every `taco …` in a text of the program, in quotes or in a template, with a word for what is filled in. */
function* advised(): Generator<{ readonly file: string; readonly line: string }> {
  for (const file of readdirSync(src, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue
    for (const text of readFileSync(join(src, file), 'utf8').split('\n')) {
      if (/^\s*(\/\/|\/?\*)/.test(text)) continue
      for (const [, plain, filled] of text.matchAll(
        /(?<!\\)`taco ([a-z-][^`\\$']*)`|\\`taco ([a-z-][^`\\]*)\\`/g,
      )) {
        const line = (plain ?? filled ?? '').replaceAll(/\$\{[^}]*\}|<[^>]+>/g, 'x')
        // Which command it is may itself be filled in.
        if (!/^(dep|rollout) x/.test(line)) yield { file, line }
      }
    }
  }
}

function isUnderstood(line: string): boolean {
  // A command that is only named, and not told how to type.
  if (commands.has(line)) return true
  const words = line.replace(/ \|.*| …/, '').matchAll(/"([^"]*)"|(\S+)/g)
  try {
    parseArgs(
      program,
      [...words].map(([, quoted, plain]) => quoted ?? plain ?? ''),
      {},
    )
    return true
  } catch {
    return false
  }
}

test('what a hint says to type is understood as it stands', () => {
  const all = [...advised()]

  expect(all.length).toBeGreaterThan(50)
  expect(all.filter(({ line }) => !isUnderstood(line))).toEqual([])
})
