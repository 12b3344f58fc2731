import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { memoryCollectors } from './force-gc.ts'

const collectors = memoryCollectors()

/** An object that outlived several collections of young memory, held by `holder` alone. */
async function oldObject(holder: object[]): Promise<WeakRef<object>> {
  const old = { made: 'long ago' }
  holder.push(old)
  for (let i = 0; i < 3; i++) {
    collectors.young()
    await turn()
  }
  return new WeakRef(old)
}

test('collecting everything frees old objects too, on every release of Node', async () => {
  const holder: object[] = []
  const old = await oldObject(holder)
  await turn()
  expect(old.deref()).toBeDefined()

  holder.length = 0
  await turn()
  collectors.all()

  expect(old.deref()).toBeUndefined()
})
