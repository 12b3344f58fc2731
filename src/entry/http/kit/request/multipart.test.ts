import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { boundaryIn, fieldText, formParts } from './multipart.ts'

const MARK = 'abc'
const partOf = (head: string, content: string | Buffer) => [`--${MARK}\r\n${head}\r\n\r\n`, content, '\r\n']
const bodyOf = (...pieces: readonly (string | Buffer)[]) =>
  Buffer.concat(pieces.map((one) => Buffer.from(one)))
const field = (name: string, value: string) => partOf(`Content-Disposition: form-data; name="${name}"`, value)
const END = `--${MARK}--\r\n`

/** The chunks share one buffer, as those of a socket may. */
async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  const shared = Buffer.alloc(size)
  for (let at = 0; at < bytes.length; at += size) {
    await Promise.resolve()
    yield shared.subarray(0, bytes.copy(shared, 0, at, at + size))
  }
}

async function read(bytes: Buffer, size: number) {
  const found: [string, string | undefined, string][] = []
  for await (const part of formParts(inPieces(bytes, size), MARK))
    found.push([part.name, part.filename, Buffer.from(await fieldText(part, 1e6)).toString('hex')])
  return found
}

const hex = (text: string | Buffer) => Buffer.from(text).toString('hex')

test('fields and files come one after another, however the bytes are cut', async () => {
  const file = Buffer.concat([
    randomBytes(300),
    Buffer.from(`\r\n--ab\r\n\r\n--${MARK.slice(0, 2)}x--${MARK}`),
    Buffer.alloc(0),
  ])
  const body = bodyOf(
    ...field('name', 'größe'),
    ...field('empty', ''),
    ...partOf(
      'Content-Type: application/gzip\r\ncontent-disposition: form-data; name="file"; filename="a b.tgz"',
      file,
    ),
    END,
  )
  for (const size of [1, 2, 7, 64, 100_000]) {
    const found: [string, string | undefined, string][] = []
    for await (const part of formParts(inPieces(body, size), MARK)) {
      const parts: Buffer[] = []
      for await (const chunk of part.content) parts.push(Buffer.from(chunk))
      found.push([part.name, part.filename, hex(Buffer.concat(parts))])
    }
    expect(found).toEqual([
      ['name', undefined, hex('größe')],
      ['empty', undefined, ''],
      ['file', 'a b.tgz', hex(file)],
    ])
  }
})

test('what is not read of a part is passed over', async () => {
  const body = bodyOf(...field('long', 'x'.repeat(5000)), ...field('next', 'y'), END)
  const names: string[] = []
  for await (const part of formParts(inPieces(body, 100), MARK)) {
    names.push(part.name)
    // One chunk of it.
    for await (const chunk of part.content) if (chunk.length > 0) break
  }
  expect(names).toEqual(['long', 'next'])
})

test.each([
  ['nothing', '', 'ended early'],
  ['no end', bodyOf(...field('a', 'b')), 'ended early'],
  ['half a part', bodyOf(...field('a', 'b')).subarray(0, 30), 'ended early'],
  ['no boundary', 'x'.repeat(20_000), 'too long'],
  ['an endless header', `--${MARK}\r\n${'x'.repeat(20_000)}`, 'too long'],
  ['no name', bodyOf(...partOf('Content-Type: text/plain', 'x'), END), 'not understood'],
  ['something behind the boundary', `--${MARK}xx\r\n`, 'not understood'],
])('a body with %s is refused', async (_, body, why) => {
  for (const size of [1, 1000])
    await expect(read(Buffer.from(body), size)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining(why) as unknown,
    })
})

test('a field that is too long is refused', async () => {
  const body = bodyOf(...field('a', 'x'.repeat(100)), END)
  for await (const part of formParts(inPieces(body, 10), MARK))
    await expect(fieldText(part, 50)).rejects.toMatchObject({ code: 'BAD_REQUEST', facts: { field: 'a' } })
})

test.each([
  ['multipart/form-data; boundary=abc', 'abc'],
  ['Multipart/Form-Data; boundary="a b"', 'a b'],
  ['multipart/form-data', undefined],
  [`multipart/form-data; boundary=${'x'.repeat(100)}`, undefined],
  ['application/x-www-form-urlencoded', undefined],
  [undefined, undefined],
])('the boundary in %s', (type, expected) => {
  expect(boundaryIn(type)).toBe(expected)
})
