import type { Caller } from '../../src/access/index.ts'

export function callerNamed(name: string): Caller {
  return {
    principal: {
      kind: 'user',
      id: `user-${name}`,
      name,
      groups: [],
      via: { kind: 'session', id: 'session-1' },
    },
  }
}

export const alice = callerNamed('alice')
