import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { badRequest } from '../../base/errors.ts'

/** Which addresses nothing is sent to. */
export type DeniedAddresses = Pick<BlockList, 'check'>

/**
 * Link-local addresses, where clouds have the credentials of the machine, and what leads to no one else's server. Other
 * private networks are allowed: that is where chat and webhooks of a self-hosted installation are.
 */
const ALWAYS = [
  '0.0.0.0/8',
  '169.254.0.0/16',
  '100.100.100.200/32',
  '224.0.0.0/4',
  '255.255.255.255/32',
  '::/128',
  // Link-local addresses of IPv4, translated (NAT64).
  '64:ff9b::a9fe:0/112',
  'fe80::/10',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  'ff00::/8',
]

/** The addresses that are never allowed, and these networks. */
export function deniedAddresses(networks: readonly string[]): DeniedAddresses {
  const list = new BlockList()
  for (const text of [...ALWAYS, ...networks]) {
    const [address = '', bits, ...more] = text.split('/')
    const version = isIP(address)
    const most = version === 4 ? 32 : 128
    const size = bits === undefined ? most : Number(bits)
    const isNetwork =
      version !== 0 && more.length === 0 && Number.isInteger(size) && size >= 0 && size <= most
    if (!isNetwork || bits === '')
      throw badRequest(
        'notificationDeny',
        `"${text}" is not a network.`,
        'Write --notification-deny as addresses and networks separated by commas, such as 10.0.0.0/8.',
      )
    list.addSubnet(address, size, version === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

export class DeniedAddress extends Error {
  readonly code = 'EDENIED'
}

/** Where a name leads to. Decided on the very addresses that are then connected to: a second look may differ. */
export async function allowedAddresses(host: string, denied: DeniedAddresses) {
  const plain = host.replace(/^\[(.*)\]$/, '$1')
  const found =
    isIP(plain) === 0 ? await lookup(plain, { all: true }) : [{ address: plain, family: isIP(plain) }]
  const refused = found.find(({ address, family }) => denied.check(address, family === 4 ? 'ipv4' : 'ipv6'))
  if (refused !== undefined)
    throw new DeniedAddress(`Notifications to ${refused.address} are not allowed by this server.`)
  return found
}
