import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { openProgress } from './progress.ts'

function screenOf(isTTY: boolean) {
  let said = ''
  const screen = Object.assign(new PassThrough(), { isTTY, columns: 40 })
  screen.on('data', (part: Buffer) => (said += part.toString()))
  return { screen, said: () => said }
}

test('nothing is shown in the first second; after it the line says how far, and is wiped at the end', () => {
  const { screen, said } = screenOf(true)
  let now = 0
  const progress = openProgress(screen, 'pulling', { total: 200, now: () => now })

  progress.moved(50)
  expect(said()).toBe('')
  now = 1500
  progress.moved(50)
  expect(said()).toContain('pulling 100 B of 200 B (50 %)')
  progress.done()
  expect(said().endsWith('\r\u001b[2K')).toBe(true)
})

test('work that ends within a second, and work without a terminal, shows nothing at all', () => {
  const quick = screenOf(true)
  const progress = openProgress(quick.screen, 'x', { now: () => 0 })
  progress.moved(1)
  progress.done()
  expect(quick.said()).toBe('')
  const piped = screenOf(false)
  let now = 0
  const silent = openProgress(piped.screen, 'x', { now: () => now })
  now = 5000
  silent.say('y')
  silent.done()
  expect(piped.said()).toBe('')
})
