import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openRunFolder } from './run-folder.ts'

function runFolder() {
  const folder = openRunFolder()
  onTestFinished(folder.remove)
  return folder
}

test('what an engine is given can be read by nobody else, and goes with its run', () => {
  const folder = runFolder()
  const [one, other] = [folder.open(), folder.open()]
  const given = one.write('variables.json', '{"password":"hunter2"}')
  const kept = other.write('variables.json', '{}')
  const plan = one.file('plan')
  expect(one.file('plan')).not.toBe(plan)
  writeFileSync(plan, 'secret, too')

  expect(statSync(dirname(given)).mode & 0o077).toBe(0)
  expect(statSync(given).mode & 0o077).toBe(0)
  one.remove()
  expect([given, plan, kept].map((path) => existsSync(path))).toEqual([false, false, true])
})

test('whatever engines left there goes with the folder', () => {
  const folder = runFolder()
  const given = folder.open().write('variables.json', '{}')
  mkdirSync(join(dirname(given), 'deep/er'), { recursive: true })

  folder.remove()

  expect(existsSync(dirname(given))).toBe(false)
})

test('a folder that somebody tidied up is made again', () => {
  const folder = runFolder()
  rmSync(dirname(folder.open().write('variables.json', '{}')), { recursive: true })

  expect(existsSync(folder.open().write('variables.json', '{}'))).toBe(true)
})
