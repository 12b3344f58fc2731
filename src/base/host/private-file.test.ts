import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writePrivately } from './private-file.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'taco-private-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

test('a link is replaced, and what it points to stays as it was', () => {
  const root = folder()
  writeFileSync(join(root, 'elsewhere'), 'theirs')
  symlinkSync('elsewhere', join(root, 'secret'))
  symlinkSync('nowhere', join(root, 'dangling'))

  writePrivately(join(root, 'secret'), 'ours')
  writePrivately(join(root, 'dangling'), 'ours')

  expect(readFileSync(join(root, 'elsewhere'), 'utf8')).toBe('theirs')
  expect(lstatSync(join(root, 'secret')).isFile()).toBe(true)
  expect(readFileSync(join(root, 'secret'), 'utf8')).toBe('ours')
  expect(readdirSync(root).toSorted()).toEqual(['dangling', 'elsewhere', 'secret'])
})

test('the mode of an older file and the umask do not matter', () => {
  const path = join(folder(), 'secret')
  writeFileSync(path, 'old')
  chmodSync(path, 0o644)
  const umask = process.umask(0)
  onTestFinished(() => void process.umask(umask))

  writePrivately(path, 'new')

  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a folder or a device is refused and nothing is left beside it', () => {
  const root = folder()

  expect(() => writePrivately(root, 'x')).toThrow('is not a regular file')
  expect(() => writePrivately('/dev/null', 'x')).toThrow('is not a regular file')
  expect(readdirSync(root)).toEqual([])
})
