import { expect, test } from 'vitest'
import { callerNetwork, clientAddress, parseTrustedProxies } from './client-address.ts'

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['0:0:0:0:0:ffff:c000:0207', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::9', '2001:db8:1:3::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ['in-process', 'in-process'],
  ['', ''],
])('%s counts as %s', (address, network) => {
  expect(callerNetwork(address)).toBe(network)
})

test.each([
  ['nobody is trusted', '10.0.0.1', '6.6.6.6', undefined, '10.0.0.1'],
  ['the proxy says who', '10.0.0.1', '203.0.113.9', ['10.0.0.0/8'], '203.0.113.9'],
  ['a client lies to the proxy', '10.0.0.1', '6.6.6.6, 203.0.113.9', ['10.0.0.1'], '203.0.113.9'],
  ['two proxies', '::ffff:10.0.0.1', '6.6.6.6, 203.0.113.9:4711,10.0.0.2', ['10.0.0.0/8'], '203.0.113.9'],
  ['somebody else claims to be a proxy', '198.51.100.1', '6.6.6.6', ['10.0.0.0/8'], '198.51.100.1'],
  ['nonsense', '10.0.0.1', 'unknown', ['10.0.0.0/8'], '10.0.0.1'],
  ['nothing but proxies', '10.0.0.1', '10.0.0.3', ['10.0.0.0/8'], '10.0.0.3'],
  ['IPv6', 'fd00::1', '[2001:db8::1]:443', ['fd00::/8'], '2001:db8::1'],
  ['no header', '10.0.0.1', undefined, ['10.0.0.0/8'], '10.0.0.1'],
])('%s', (_, remoteAddress, forwarded, proxies, expected) => {
  const trusted = proxies === undefined ? undefined : parseTrustedProxies(proxies)
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }

  expect(clientAddress({ socket: { remoteAddress }, headers }, trusted)).toBe(expected)
})

test.each([
  ['10.0.0.0/33'],
  ['10.0.0'],
  ['proxy.example'],
  ['10.0.0.0/8/8'],
  ['::/129'],
  ['10.0.0.0/'],
  [''],
])('"%s" is no address to trust', (text) => {
  expect(parseTrustedProxies([text])).toBeUndefined()
})
