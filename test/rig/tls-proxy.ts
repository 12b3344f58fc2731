import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Certificate } from './certificate.ts'

/** A proxy (`HTTPS_PROXY`) that answers for every host itself: it ends TLS, and passes what is inside on to a port. */
export async function startTlsProxy(
  certificate: Certificate,
  port: number,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createServer()
  const watched = <S extends Socket>(socket: S): S => {
    sockets.add(socket)
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
  }
  server.on('connect', (_request, socket: Socket) => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    const inside = watched(new TLSSocket(watched(socket), { isServer: true, ...certificate }))
    const behind = watched(connect(port, '127.0.0.1'))
    inside.pipe(behind).pipe(inside)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
