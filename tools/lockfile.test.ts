import { expect, test } from 'vitest'
import { lockfileFaults } from './lockfile.mjs'

const integrity = 'sha512-x'

test('an entry without integrity, one with an address and a missing platform are faults', () => {
  const packages = {
    '': { version: '0.1.0' },
    'node_modules/good': { version: '1.0.0', integrity },
    'node_modules/workspace': { link: true },
    'node_modules/bare': { version: '1.0.0' },
    'node_modules/told': { version: '1.0.0', integrity, resolved: 'https://registry.example/told.tgz' },
    'node_modules/native': {
      version: '1.0.0',
      integrity,
      optionalDependencies: { '@native/darwin-arm64': '1.0.0', '@native/linux-x64': '1.0.0', fancy: '1' },
    },
    'node_modules/@native/linux-x64': { version: '1.0.0', integrity },
  }

  expect(lockfileFaults({ packages })).toEqual([
    'node_modules/bare has no integrity',
    'node_modules/told names where it was downloaded',
    'node_modules/@native/darwin-arm64 is missing',
  ])
})
