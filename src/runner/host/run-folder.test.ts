import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { makeRunFolder } from './run-folder.ts'

test('what an engine is given can be read by nobody else, and goes with the folder', () => {
  const folder = makeRunFolder()
  const given = folder.write('variables.json', '{"password":"hunter2"}')
  const log = folder.file('apply')
  expect(folder.file('apply')).not.toBe(log)
  writeFileSync(log, 'it says')

  expect(statSync(dirname(given)).mode & 0o077).toBe(0)
  expect(statSync(given).mode & 0o077).toBe(0)
  folder.remove()
  expect(existsSync(dirname(given))).toBe(false)
})

test('whatever an engine left there goes, too', () => {
  const folder = makeRunFolder()
  const given = folder.write('variables.json', '{}')
  mkdirSync(join(dirname(given), 'deep/er'), { recursive: true })

  folder.remove()

  expect(existsSync(dirname(given))).toBe(false)
})
