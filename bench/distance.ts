import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface Distance {
  readonly port: number
  close(): Promise<void>
}

/** A way to a port of this machine on which everything takes so long in each direction, as on a network. */
export async function openDistance(port: number, oneWayMs: number): Promise<Distance> {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const socket of [near, far]) {
      socket.setNoDelay(true)
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    }
    carry(near, far, oneWayMs)
    carry(far, near, oneWayMs)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Timers of one length fire in the order in which they were set, so nothing overtakes anything. */
function carry(from: Socket, to: Socket, ms: number): void {
  from.on('data', (bytes) => setTimeout(() => to.write(bytes), ms))
  from.on('end', () => setTimeout(() => to.end(), ms))
  from.on('error', () => to.destroy())
}
