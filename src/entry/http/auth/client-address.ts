import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** Addresses of proxies that are believed about whom they speak for. */
export type TrustedProxies = Pick<BlockList, 'check'>

/** Addresses and networks, such as `10.0.0.5` or `10.0.0.0/8`. Undefined when one of them is neither. */
export function parseTrustedProxies(addresses: readonly string[]): TrustedProxies | undefined {
  const list = new BlockList()
  for (const text of addresses) {
    const [address = '', bits, ...more] = text.split('/')
    const family = familyOf(address)
    const most = family === 'ipv4' ? 32 : 128
    if (family === undefined || more.length > 0) return undefined
    if (bits === undefined) list.addAddress(address, family)
    else if (/^\d{1,3}$/.test(bits) && Number(bits) <= most) list.addSubnet(address, Number(bits), family)
    else return undefined
  }
  return list
}

/**
 * The sender of a request. Any client can write X-Forwarded-For, so it is read from its end, as far as trusted proxies
 * wrote it: the first address that is not one of theirs is the client's.
 */
export function clientAddress(
  {
    socket,
    headers,
  }: Pick<IncomingMessage, 'headers'> & { readonly socket: { readonly remoteAddress?: string | undefined } },
  trusted: TrustedProxies | undefined,
): string {
  let address = socket.remoteAddress ?? ''
  const forwarded = trusted === undefined ? undefined : headers['x-forwarded-for']
  if (trusted === undefined || forwarded === undefined) return address
  const hops = (Array.isArray(forwarded) ? forwarded.join(',') : forwarded).split(',')
  for (let hop = hops.pop(); hop !== undefined && isTrusted(address, trusted); hop = hops.pop()) {
    const next = withoutPort(hop.trim())
    if (isIP(next) === 0) break
    address = next
  }
  return address
}

/**
 * What counts as one caller: an IPv4 address in any notation, or the /64 of an IPv6 address, because the owner of one
 * address owns all of them.
 */
export function callerNetwork(address: string): string {
  const plain = withoutZone(address)
  const mapped = mappedIPv4(plain)
  if (mapped !== undefined) return mapped
  return isIP(plain) === 6 ? `${groupsOf(plain).slice(0, 4).join(':')}::/64` : plain
}

function isTrusted(address: string, trusted: TrustedProxies): boolean {
  const plain = withoutZone(address)
  const known = mappedIPv4(plain) ?? plain
  const family = familyOf(known)
  return family !== undefined && trusted.check(known, family)
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address)
  return version === 0 ? undefined : version === 4 ? 'ipv4' : 'ipv6'
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/, '')
}

/** `1.2.3.4:567` and `[::1]:567`, as some proxies write them. */
function withoutPort(text: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text
}

function mappedIPv4(address: string): string | undefined {
  if (isIP(address) !== 6) return undefined
  const groups = groupsOf(address)
  if (groups.slice(0, 5).some((group) => group !== '0') || groups[5] !== 'ffff') return undefined
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** The eight groups of an IPv6 address that is known to be one. */
function groupsOf(address: string): string[] {
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number)
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  })
  const [head = '', tail] = hex.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - before.length - after.length }, () => '0')
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16).toString(16))
}
