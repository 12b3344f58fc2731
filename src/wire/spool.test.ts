import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSpool } from './spool.ts'

async function collected(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(Buffer.from(part))
  return Buffer.concat(parts)
}

test('what is written is read back, whole or in part, any number of times, and no file is ever visible', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'spool-'))
  try {
    const file = await openSpool(folder).create()
    const content = Buffer.alloc(700_000, 'abcdefghij')

    await file.write(content.subarray(0, 300_001))
    await file.write(content.subarray(300_001))

    expect(file.size).toBe(700_000)
    expect((await collected(file.stream())).equals(content)).toBe(true)
    expect((await collected(file.stream())).equals(content)).toBe(true)
    expect((await collected(file.stream({ start: 299_999, end: 300_009 }))).toString()).toBe('jabcdefghij')
    expect((await collected(file.stream({ start: 699_999, end: 900_000 }))).toString()).toBe('j')
    expect(await readdir(folder)).toEqual([])
    await file.dispose()
    await file.dispose()
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('a folder that is not there is named', async () => {
  await expect(openSpool('/nowhere/at/all').create()).rejects.toThrow('/nowhere/at/all')
})
