import type { Caller } from '../../src/access/index.ts'

export function callerNamed(name: string): Caller {
  return { principal: { kind: 'user', name } }
}

export const alice = callerNamed('alice')
