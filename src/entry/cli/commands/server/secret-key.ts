import type { Session } from '../../session.ts'

/** The key goes to stdout alone, so that it can be written to a file or piped into a key management service. */
export async function newSecretKey({ world, output }: Session): Promise<void> {
  const { newKeyText } = await world.secretKeys()
  const { id, text } = newKeyText()
  if (output.asJson) return output.json({ id, key: text })
  output.data(`${text}\n`)
  output.note('keep a copy of this key outside the bucket: what it seals cannot be read without it')
}
