import type { Server } from 'node:http'
import { type Duplex, duplexPair } from 'node:stream'

/** Two ends of a connection that never leaves the process; the server has the other one. */
export function connectionTo(server: Server): Duplex {
  const [near, far] = duplexPair({ highWaterMark: 256 * 1024 })
  // An end that goes away takes the other with it, as with a socket.
  near.once('close', () => far.destroy())
  far.once('close', () => near.destroy())
  near.on('error', () => {})
  far.on('error', () => {})
  server.emit('connection', asSocket(far))
  return asSocket(near)
}

/** HTTP clients and servers call these on whatever they are given; here they have nothing to do. */
function asSocket(end: Duplex): Duplex {
  const same = () => end
  return Object.assign(end, {
    setTimeout: same,
    setNoDelay: same,
    setKeepAlive: same,
    ref: same,
    unref: same,
    remoteAddress: 'in-process',
  })
}
