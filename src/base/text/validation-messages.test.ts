import { expect, test } from 'vitest'
import { z } from 'zod'
import { faultsIn, sayFaults } from './validation-messages.ts'

const Order = z.strictObject({
  count: z.coerce.number().int().min(1).max(9).default(1),
  name: z.string().min(2).max(3).optional(),
  kind: z.enum(['small', 'large']).optional(),
  inside: z.strictObject({ on: z.boolean() }).optional(),
  list: z.array(z.string()).max(1).optional(),
})

test.each([
  [{ count: 'many' }, 'count must be a number'],
  [{ count: 1.5 }, 'count must be a whole number'],
  [{ count: 0 }, 'count must be at least 1'],
  [{ count: 10 }, 'count must be at most 9'],
  [{ name: 1 }, 'name must be text'],
  [{ name: 'a' }, 'name must have at least 2 characters'],
  [{ name: 'abcd' }, 'name must have at most 3 characters'],
  [{ kind: 'medium' }, 'kind must be small or large'],
  [{ inside: {} }, 'inside.on is missing'],
  [{ inside: { on: 'yes' } }, 'inside.on must be true or false'],
  [{ inside: { on: true, off: 1 } }, 'inside.off is unknown'],
  [{ list: ['a', 'b'] }, 'list must have at most 1 entries'],
  [{ list: [1] }, 'list.0 must be text'],
  [{ a: 1, b: 2 }, 'a is unknown; b is unknown'],
  ['text', 'must be an object'],
])('%j: %s', (given, said) => {
  const { error } = Order.safeParse(given)

  expect(error === undefined ? 'fine' : sayFaults(faultsIn(error))).toBe(said)
})
