import type { Notice } from '../../src/notifications/index.ts'

/** Something to tell a destination. */
export const notice: Notice = {
  configuration: 'nc-1',
  trigger: 'lock:held',
  message: 'alice locked prod/vpc.',
  org: 'acme',
  workspace: { id: 'ws-1', name: 'prod--vpc' },
  link: 'https://taco.example.com/app/acme/units/prod--vpc',
  event: {
    id: '01J',
    at: '2026-01-02T03:04:05.000Z',
    type: 'lock.taken',
    unit: { id: 'ws-1', name: 'prod/vpc' },
    by: 'user:alice',
    data: {},
  },
}
