import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { TacoError, badRequest, reasonOf } from '../base/errors.ts'

export interface ListenAddress {
  /** Empty: every address of the machine. */
  readonly host: string
  readonly port: number
}

/** `127.0.0.1:8226`, `[::1]:8226`, `localhost:8226`, `:8226`, `8226`. */
export function parseListen(text: string): ListenAddress {
  const match = /^(?:(\[[0-9a-fA-F:.]+\]|[^:[\]\s]*):)?(\d{1,5})$/.exec(text.trim())
  const port = Number(match?.[2])
  if (match === null || port > 65_535) {
    throw badRequest(
      'listen',
      `"${text}" is not a listen address.`,
      'Write host:port, such as 127.0.0.1:8226.',
    )
  }
  return { host: (match[1] ?? '').replace(/^\[|\]$/g, ''), port }
}

export async function listenOn(
  server: Server,
  address: ListenAddress,
  scheme: 'http' | 'https' = 'http',
): Promise<{ readonly url: string; readonly port: number }> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(translated(error, address)))
    server.listen(address.port, ...(address.host === '' ? [] : [address.host]), resolve)
  })
  const { port } = server.address() as AddressInfo
  const host =
    address.host === '' || address.host === '0.0.0.0' || address.host === '::' ? 'localhost' : address.host
  return { url: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`, port }
}

function translated(error: NodeJS.ErrnoException, { host, port }: ListenAddress): TacoError {
  const said: Readonly<Record<string, string>> = {
    EADDRINUSE: 'another program already uses this address',
    EACCES: 'permission denied',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'no such host',
  }
  return new TacoError(
    'BAD_REQUEST',
    `Cannot listen on ${host || '*'}:${port}: ${said[error.code ?? ''] ?? reasonOf(error)}.`,
    {
      facts: { field: 'listen' },
      hint: 'Choose another address with --listen, or stop the program that uses this one.',
      cause: error,
    },
  )
}
