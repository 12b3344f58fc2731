import { type IncomingHttpHeaders, createServer } from 'node:http'
import { onTestFinished } from 'vitest'

export interface Hook {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  json(): Record<string, unknown>
}

/** A webhook that keeps what it is sent, and answers as the test says. */
export async function startHookReceiver() {
  const got: Hook[] = []
  const answer = { status: 200, body: 'ok', headers: {} as Record<string, string>, isSilent: false }
  const server = createServer((req, res) => {
    const parts: Buffer[] = []
    req.on('data', (part: Buffer) => parts.push(part))
    req.on('end', () => {
      const body = Buffer.concat(parts).toString()
      got.push({
        path: req.url ?? '',
        headers: req.headers,
        body,
        json: () => JSON.parse(body) as Record<string, unknown>,
      })
      if (!answer.isSilent) res.writeHead(answer.status, answer.headers).end(answer.body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}/hook`, port, got, answer }
}

export type HookReceiver = Awaited<ReturnType<typeof startHookReceiver>>
