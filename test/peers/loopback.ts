import { type IncomingMessage, type RequestListener, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface LoopbackServer {
  /** Without a trailing slash. */
  readonly url: string
  /** True: every connection is closed without an answer. */
  setDown(isDown: boolean): void
  dispose(): Promise<void>
}

/** An HTTP server in this process. `open` gets its address, which some servers must know before they can be made. */
export async function serveOnLoopback(open: (url: string) => RequestListener): Promise<LoopbackServer> {
  let isDown = false
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const answer = open(url)
  server.on('request', (req, res) => {
    if (isDown) req.socket.destroy()
    else answer(req, res)
  })
  return {
    url,
    setDown: (value) => (isDown = value),
    dispose: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export async function readForm(req: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return new URLSearchParams(Buffer.concat(chunks).toString())
}

export function sendHtml(res: ServerResponse, html: string): void {
  res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(`<!doctype html>${html}`)
}

export function sendJson(res: ServerResponse, status: number, value: unknown, headers = {}): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
}
