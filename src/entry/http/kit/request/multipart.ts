import { badRequest } from '../../../../base/errors.ts'

/** A field of a form, or a file that was sent with it. */
export interface FormPart {
  readonly name: string
  /** Undefined: it is a field. Empty: no file was chosen. */
  readonly filename: string | undefined
  /** Read it before the next part is requested. A chunk is valid until you request the next one. */
  readonly content: AsyncIterable<Uint8Array>
}

const MOST_HEADER_BYTES = 8 * 1024
const TYPE = /^multipart\/form-data;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))\s*$/i

/** Undefined: the request is no such form. */
export function boundaryIn(contentType: string | undefined): string | undefined {
  const found = TYPE.exec(contentType ?? '')
  return found?.[1] ?? found?.[2]
}

/**
 * The parts of a form with files, one after another, as they come in: https://www.rfc-editor.org/rfc/rfc7578. Nothing is
 * kept but what may be the beginning of a boundary.
 */
export async function* formParts(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<FormPart> {
  const chunks = body[Symbol.asyncIterator]()
  const mark = Buffer.from(`\r\n--${boundary}`)
  // The first boundary has no line break before it.
  let rest: Buffer = Buffer.from('\r\n')
  let isEnd = false
  /** The content of the part was read up to its boundary. */
  let isWhole = false

  async function more(): Promise<void> {
    const next = isEnd ? { done: true as const } : await chunks.next()
    if (next.done === true) throw cutOff()
    rest = Buffer.concat([rest, next.value])
  }

  /** The bytes before `sign`, which is taken too. */
  async function until(sign: Buffer | string, most: number): Promise<Buffer> {
    for (;;) {
      const at = rest.indexOf(sign)
      if (at > most || (at === -1 && rest.length > most + sign.length)) throw tooLong()
      if (at !== -1) {
        const found = rest.subarray(0, at)
        rest = rest.subarray(at + sign.length)
        return found
      }
      await more()
    }
  }

  async function* content(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = rest.indexOf(mark)
      // The end may be the beginning of the boundary.
      const ready = at === -1 ? Math.max(0, rest.length - mark.length + 1) : at
      const some = rest.subarray(0, ready)
      rest = rest.subarray(at === -1 ? ready : at + mark.length)
      isWhole = at !== -1
      if (some.length > 0) yield some
      if (isWhole) return
      await more()
    }
  }

  try {
    await until(mark, MOST_HEADER_BYTES)
    for (;;) {
      while (rest.length < 2) await more()
      const after = rest.toString('latin1', 0, 2)
      if (after === '--') return
      if (after !== '\r\n') throw broken()
      // The line break stays: there may be no header at all.
      const header = (await until('\r\n\r\n', MOST_HEADER_BYTES)).toString('utf8')
      isWhole = false
      yield { ...disposition(header), content: content() }
      // What was not read is passed over.
      if (!isWhole) await drained(content())
    }
  } finally {
    isEnd = true
    await chunks.return?.()
  }
}

async function drained(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) void chunk
}

/** A short field, whole. */
export async function fieldText({ name, content }: FormPart, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of content) {
    size += part.byteLength
    if (size > maxBytes) throw badRequest(name, `The field ${name} has more than ${maxBytes} bytes.`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function disposition(header: string): Pick<FormPart, 'name' | 'filename'> {
  const line = header.split('\r\n').find((one) => /^content-disposition:/i.test(one)) ?? ''
  const value = (key: string) => new RegExp(`[;\\s]${key}="([^"]*)"`, 'i').exec(line)?.[1]
  const name = value('name')
  if (name === undefined) throw broken()
  return { name, filename: value('filename') }
}

const HINT = 'Load the page again, and send the form again.'
const broken = () => badRequest('body', 'The form is not understood.', HINT)
const cutOff = () => badRequest('body', 'The form ended early.', HINT)
const tooLong = () => badRequest('body', 'The head of a part of the form is too long.', HINT)
