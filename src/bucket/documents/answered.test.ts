import { expect, test } from 'vitest'
import { answeredBefore, noteRequest } from './answered.ts'

const callerOf = (key: string, digest = 'd') => ({ request: { key, digest } })

test('the newest few requests of the last day are kept', () => {
  let { answered = [] } = noteRequest(undefined, callerOf('old'), 0)
  for (let i = 0; i < 40; i++) answered = noteRequest(answered, callerOf(`k${i}`), 1000 + i).answered ?? []

  expect(answered).toHaveLength(32)
  expect(answeredBefore(answered, callerOf('k7'))).toBeUndefined()
  expect(answeredBefore(answered, callerOf('k8'))).toMatchObject({ at: 1008 })
  const later = noteRequest(answered, callerOf('new'), 1020 + 24 * 3_600_000).answered
  expect(later?.map(({ key }) => key).slice(0, 2)).toEqual(['k21', 'k22'])
})

test('without a key nothing is noted and nothing found', () => {
  expect(noteRequest([], {}, 1)).toEqual({})
  expect(answeredBefore([{ key: 'k', request: 'd', at: 1 }], {})).toBeUndefined()
})
