import { BlockList, isIP } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')
loopback.addSubnet('::ffff:127.0.0.0', 104, 'ipv6')

/** A host name or address (IPv6 with or without brackets) that only this machine can mean. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase()
  const family = isIP(name)
  if (family !== 0) return loopback.check(name, family === 4 ? 'ipv4' : 'ipv6')
  return name === 'localhost' || name.endsWith('.localhost')
}

/** The host of a Host or Origin header, without its port; undefined when it is malformed. */
export function hostOf(header: string): string | undefined {
  const match = /^(\[[0-9a-fA-F:.]+\]|[^\s:/@?#[\]]+)(?::\d{1,5})?$/.exec(header)
  return match?.[1]
}

/** Undefined when a server may listen like this; else why not. */
export function listenRefusal(options: {
  host: string
  auth: 'none' | 'token' | 'sso'
  insecure: boolean
}): string | undefined {
  if (options.auth !== 'none' || options.insecure || isLoopback(options.host)) return undefined
  return `Without authentication the server listens on loopback addresses only, and ${options.host || 'every address'} is not one.`
}
