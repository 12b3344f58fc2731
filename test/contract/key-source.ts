import { expect, test } from 'vitest'
import { newKeyText } from '../../src/access/secrets/keys.ts'
import { type KeySource, keyRingFrom } from '../../src/access/secrets/key-source.ts'

/** What every source of keys must do. `sourceOf` makes one that gives this text. */
export function keySourceContract(sourceOf: (text: string) => Promise<KeySource>): void {
  test('the first key is current, and all others open', async () => {
    const [first, second] = [newKeyText(), newKeyText()]
    const before = await keyRingFrom(await sourceOf(first.text))
    const after = await keyRingFrom(await sourceOf(`${second.text}\n${first.text}\n`))

    expect([before.currentKeyId, after.currentKeyId]).toEqual([first.id, second.id])
    expect(after.open(before.seal('x', 'c'), 'c').toString()).toBe('x')
  })

  test('reading again gives the same', async () => {
    const source = await sourceOf(newKeyText().text)

    expect(await source.read()).toBe(await source.read())
  })

  test.each(['', '# no key yet\n', 'not a key'])(
    '%j is refused, with the name of the source',
    async (text) => {
      const source = await sourceOf(text)

      await expect(keyRingFrom(source)).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringContaining(source.label),
        hint: expect.stringContaining('taco secret-key new'),
      })
    },
  )
}
