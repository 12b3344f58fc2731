import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Line {
  readonly port: number
  /** From now on nothing gets through, in either direction, and nothing is closed: as with a server that hangs. */
  freeze(): void
}

/** A way to a port of this machine that can be frozen; ended with the test. */
export async function openLine(port: number): Promise<Line> {
  const sockets = new Set<Socket>()
  let isFrozen = false
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('close', () => sockets.delete(from))
      from.on('error', () => to.destroy())
      from.on('data', (bytes) => {
        if (!isFrozen) to.write(bytes)
      })
      from.on('end', () => {
        if (!isFrozen) to.end()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, freeze: () => (isFrozen = true) }
}
