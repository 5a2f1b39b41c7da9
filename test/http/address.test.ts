import { expect, test } from 'bun:test'
import { parseEnv } from '../../src/env.ts'
import { clientAddress, isLoopback, isLoopbackHost, limitGroup } from '../../src/http/address.ts'

const trustedBy = (ranges: string) => parseEnv({ TRUSTED_PROXIES: ranges }).trustedProxies

/** The address of the connection, the X-Forwarded-For header, the trusted proxies, and the resulting client address. */
const cases: readonly [peer: string, forwardedFor: string | null, trusted: string, address: string][] = [
  // By default no proxy is trusted.
  ['203.0.113.9', null, '', '203.0.113.9'],
  ['203.0.113.9', '198.51.100.1', '', '203.0.113.9'],
  ['127.0.0.1', '198.51.100.1', '', '127.0.0.1'],
  ['203.0.113.9', '198.51.100.1', '10.0.0.0/8', '203.0.113.9'],
  // A trusted proxy.
  ['10.1.2.3', null, '10.0.0.0/8', '10.1.2.3'],
  ['10.1.2.3', '198.51.100.1', '10.0.0.0/8', '198.51.100.1'],
  ['11.0.0.0', '198.51.100.1', '10.0.0.0/8', '11.0.0.0'],
  ['10.1.2.3', '198.51.100.1', '10.1.2.3', '198.51.100.1'],
  ['10.1.2.4', '198.51.100.1', '10.1.2.3', '10.1.2.4'],
  ['10.1.2.7', '198.51.100.1', '10.1.2.4/30', '198.51.100.1'],
  ['10.1.2.8', '198.51.100.1', '10.1.2.4/30', '10.1.2.8'],
  ['8.8.8.8', '198.51.100.1', '0.0.0.0/0', '198.51.100.1'],
  // What the client wrote is to the left of what the proxy added.
  ['10.1.2.3', '1.1.1.1, 198.51.100.1', '10.0.0.0/8', '198.51.100.1'],
  ['10.1.2.3', '127.0.0.1, 198.51.100.1', '10.0.0.0/8,127.0.0.1', '198.51.100.1'],
  // Several proxies of which all are trusted, or one is not.
  ['10.1.2.3', '198.51.100.1, 10.9.9.9', '10.0.0.0/8', '198.51.100.1'],
  ['10.1.2.3', '1.1.1.1,198.51.100.1,10.9.9.9 , 10.9.9.8', '10.0.0.0/8', '198.51.100.1'],
  ['10.1.2.3', '198.51.100.1, 192.0.2.7, 10.9.9.9', '10.0.0.0/8', '192.0.2.7'],
  ['10.1.2.3', '10.9.9.9', '10.0.0.0/8', '10.9.9.9'],
  // Reading ends at a value that is no address.
  ['10.1.2.3', '198.51.100.1, unknown', '10.0.0.0/8', '10.1.2.3'],
  ['10.1.2.3', '', '10.0.0.0/8', '10.1.2.3'],
  ['10.1.2.3', '198.51.100.1,', '10.0.0.0/8', '10.1.2.3'],
  ['10.1.2.3', '_hidden', '10.0.0.0/8', '10.1.2.3'],
  ['10.1.2.3', '198.51.100.1.5', '10.0.0.0/8', '10.1.2.3'],
  ['10.1.2.3', '010.1.1.1', '10.0.0.0/8', '10.1.2.3'],
  ['10.1.2.3', `198.51.100.1'); drop`, '10.0.0.0/8', '10.1.2.3'],
  ['unknown', '198.51.100.1', '0.0.0.0/0', 'unknown'],
  // Spellings of addresses.
  ['10.1.2.3', '198.51.100.1:4711', '10.0.0.0/8', '198.51.100.1'],
  ['10.1.2.3', '[2001:DB8::0:1]:443', '10.0.0.0/8', '2001:db8::1'],
  ['10.1.2.3', '2001:db8:0:0::1', '10.0.0.0/8', '2001:db8::1'],
  ['10.1.2.3', '[2001:db8::1]', '10.0.0.0/8', '2001:db8::1'],
  ['10.1.2.3', '::0:0:0:0:1.2.3.4', '10.0.0.0/8', '::102:304'],
  ['10.1.2.3', '1:2:3:4:5:6:1.2.3.4%eth0', '10.0.0.0/8', '1:2:3:4:5:6:102:304'],
  ['10.1.2.3', '1:2:3:4:5:6:7::', '10.0.0.0/8', '1:2:3:4:5:6:7:0'],
  ['10.1.2.3', '::ffff:198.51.100.1', '10.0.0.0/8', '198.51.100.1'],
  ['::ffff:10.1.2.3', '198.51.100.1', '10.0.0.0/8', '198.51.100.1'],
  ['::ffff:a01:203', '198.51.100.1', '::ffff:10.0.0.0/104', '198.51.100.1'],
  ['fe80::1%eth0', null, '', 'fe80::1'],
  ['::1', '198.51.100.1', '::1', '198.51.100.1'],
  ['2001:db8:1::5', '198.51.100.1', '2001:db8::/32', '198.51.100.1'],
  ['2001:db9:1::5', '198.51.100.1', '2001:db8::/32', '2001:db9:1::5'],
  ['10.1.2.3', '198.51.100.1', '::/0', '10.1.2.3'],
]

test.each(cases)(
  'a connection from %s with X-Forwarded-For %j and trusted proxies %j has the client address %s',
  (peer, forwardedFor, trusted, address) => {
    expect(clientAddress(peer, forwardedFor, trustedBy(trusted))).toBe(address)
  },
)

test('X-Forwarded-For may have a thousand entries', () => {
  const forwardedFor = `198.51.100.1, ${'10.0.0.1, '.repeat(1_000)}10.0.0.2`
  expect(clientAddress('10.0.0.1', forwardedFor, trustedBy('10.0.0.0/8'))).toBe('198.51.100.1')
})

test('rate limits count IPv4 by address and IPv6 by /64', () => {
  expect(limitGroup('198.51.100.1')).toBe('198.51.100.1')
  expect(limitGroup('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
  expect(limitGroup('2001:db8:1:2::1')).toBe('2001:db8:1:2::/64')
  expect(limitGroup('2001:db8:1:3::1')).toBe('2001:db8:1:3::/64')
  expect(limitGroup('2001:db8::1')).toBe('2001:db8:0:0::/64')
  expect(limitGroup('::1')).toBe('0:0:0:0::/64')
  expect(limitGroup('unknown')).toBe('unknown')
})

test('loopback is 127.0.0.0/8 and ::1', () => {
  expect(['127.0.0.1', '127.9.9.9', '::1'].map(isLoopback)).toEqual([true, true, true])
  expect(['128.0.0.1', '::2', '10.0.0.1', 'unknown'].map(isLoopback)).toEqual([false, false, false, false])
})

test.each([
  ['pay.lamps.shop', false],
  ['192.0.2.1:3000', false],
  ['localhost.lamps.shop', false],
  ['127.0.0.1.lamps.shop', false],
  ['[2001:db8::1]:8080', false],
  ['localhost:8080', true],
  ['127.8.9.1', true],
  ['[::1]:8080', true],
])('a host %s is on loopback: %p', (host, expected) => {
  expect(isLoopbackHost(host)).toBe(expected)
})
