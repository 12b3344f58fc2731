import { request } from 'node:http'

/** The reading side of a busy day: lists, status, recent events and open event streams, until it is stopped. */
export interface Readers {
  stop(): Promise<{ readonly requests: number; readonly streamed: number }>
}

const PAUSE_MS = 200
const LOOKS = ['/v1/units?limit=100', '/v1/status', '/v1/events?limit=20', '/v1/events?limit=20&order=desc']

export function startReaders(port: number, streams: number): Readers {
  const stopping = new AbortController()
  const { signal } = stopping
  let requests = 0
  let streamed = 0

  async function look(path: string): Promise<void> {
    while (!signal.aborted) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`)
      await answer.arrayBuffer()
      requests++
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }

  function follow(): void {
    const headers = { accept: 'text/event-stream' }
    const call = request({ port, path: '/v1/events?after=now', headers, signal }, (reply) => {
      reply.on('data', (part: Buffer) => (streamed += part.length))
      reply.on('error', () => {})
    })
    call.on('error', () => {})
    call.end()
  }

  for (let i = 0; i < streams; i++) follow()
  const looking = Promise.all(LOOKS.map(look))
  return {
    async stop() {
      stopping.abort()
      await looking
      return { requests, streamed }
    },
  }
}
