/** An answer of which only the head matters, or a short text. */
export interface ShortAnswer {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** As much as is worth reading. */
  readonly text: string
  /** Another request may follow on the same connection. */
  readonly isReusable: boolean
}

export interface AnswerReader {
  /** Before each request. To HEAD, what comes is a head and nothing else. */
  expect(method: string): void
  /** The answer once it is whole. Throws for what is not HTTP. The chunk may be used for others afterwards. */
  push(chunk: Buffer): ShortAnswer | undefined
  /** The connection was closed, which ends some answers and breaks off others. */
  end(): ShortAnswer | undefined
}

const MOST_HEAD = 64 * 1024
const MOST_BODY = 64 * 1024
const NOTHING: Buffer = Buffer.alloc(0)

/** HTTP/1.1, RFC 9112, section 6.3: how long the body is, and what comes before it. */
export function createAnswerReader(): AnswerReader {
  let isHead = false
  let held = NOTHING
  /** Undefined until the head is whole. */
  let head: Head | undefined

  function whole(body: Buffer, isReusable: boolean): ShortAnswer | undefined {
    if (head === undefined) return undefined
    const { status, headers } = head
    const answer = { status, headers, text: body.toString('utf8', 0, MOST_BODY), isReusable }
    head = undefined
    held = NOTHING
    return answer
  }

  function readBody({ body, keepsAlive }: Head): ShortAnswer | undefined {
    if (typeof body === 'number') {
      if (held.length < body) return held.length > MOST_BODY ? whole(held, false) : undefined
      return whole(held.subarray(0, body), keepsAlive && held.length === body)
    }
    const { text, end } = body === 'chunked' ? readChunks(held) : { text: held, end: -1 }
    if (end >= 0) return whole(text, keepsAlive && held.length === end)
    return held.length > MOST_BODY ? whole(text, false) : undefined
  }

  return {
    expect(method) {
      isHead = method === 'HEAD'
      head = undefined
      held = NOTHING
    },
    push(chunk) {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      const answer = read()
      if (answer === undefined) held = Buffer.from(held)
      return answer
    },
    end: () => (head?.body === 'rest' ? whole(held, false) : undefined),
  }

  function read(): ShortAnswer | undefined {
    while (head === undefined) {
      const end = held.indexOf('\r\n\r\n')
      if (end === -1) {
        if (held.length > MOST_HEAD) throw notHttp()
        return undefined
      }
      const read = readHead(held.toString('latin1', 0, end), isHead)
      held = held.subarray(end + 4)
      // What comes before the answer proper ("100 Continue").
      if (read.status >= 200) head = read
    }
    return readBody(head)
  }
}

interface Head {
  readonly status: number
  readonly headers: Record<string, string>
  /** Bytes of the body, or how its end is found. */
  readonly body: number | 'chunked' | 'rest'
  readonly keepsAlive: boolean
}

function readHead(text: string, isHead: boolean): Head {
  if (!/^HTTP\/1\.[01] [1-9]\d\d(?: |$|\r)/.test(text)) throw notHttp()
  const status = Number(text.slice(9, 12))
  const headers: Record<string, string> = {}
  for (let at = text.indexOf('\r\n'); at !== -1;) {
    const start = at + 2
    at = text.indexOf('\r\n', start)
    const line = at === -1 ? text.slice(start) : text.slice(start, at)
    const colon = line.indexOf(':')
    if (colon <= 0) throw notHttp()
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  const connection = headers['connection']?.toLowerCase() ?? ''
  const keepsAlive = text[7] === '1' ? !connection.includes('close') : connection.includes('keep-alive')
  return { status, headers, body: bodyOf(status, headers, isHead), keepsAlive }
}

function bodyOf(status: number, headers: Record<string, string>, isHead: boolean): Head['body'] {
  if (isHead || status === 204 || status === 304) return 0
  const coding = headers['transfer-encoding']
  if (coding !== undefined) return coding.toLowerCase().endsWith('chunked') ? 'chunked' : 'rest'
  const length = headers['content-length']
  if (length === undefined) return 'rest'
  if (!/^\d+$/.test(length)) throw notHttp()
  return Number(length)
}

/** `end`: where the body ends in what came, -1 if it has not come. Read anew each time: bodies are short. */
function readChunks(bytes: Buffer): { readonly text: Buffer; readonly end: number } {
  const parts: Buffer[] = []
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return { text: Buffer.concat(parts), end: -1 }
    const size = bytes.toString('latin1', at, lineEnd).split(';')[0]?.trim() ?? ''
    if (!/^[0-9a-f]{1,8}$/i.test(size)) throw notHttp()
    const length = Number.parseInt(size, 16)
    at = lineEnd + 2
    if (length === 0) return { text: Buffer.concat(parts), end: endOfTrailer(bytes, at) }
    parts.push(bytes.subarray(at, at + length))
    at += length + 2
    if (at > bytes.length) return { text: Buffer.concat(parts), end: -1 }
  }
}

function endOfTrailer(bytes: Buffer, at: number): number {
  if (bytes.toString('latin1', at, at + 2) === '\r\n') return at + 2
  const end = bytes.indexOf('\r\n\r\n', at)
  return end === -1 ? -1 : end + 4
}

function notHttp(): Error {
  return Object.assign(new Error('what came is not HTTP'), { code: 'EPROTO' })
}
