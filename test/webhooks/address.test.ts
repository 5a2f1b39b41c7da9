import { expect, test } from 'bun:test'
import { isPublic } from '../../src/webhooks/address.ts'

/** The address before each special block, its first and last address, and the address after it; `-` where that is special too. */
const blocks = `
  -                 0.0.0.0         0.255.255.255     1.0.0.0
  9.255.255.255     10.0.0.0        10.255.255.255    11.0.0.0
  100.63.255.255    100.64.0.0      100.127.255.255   100.128.0.0
  126.255.255.255   127.0.0.0       127.255.255.255   128.0.0.0
  168.63.129.15     168.63.129.16   168.63.129.16     168.63.129.17
  169.253.255.255   169.254.0.0     169.254.255.255   169.255.0.0
  172.15.255.255    172.16.0.0      172.31.255.255    172.32.0.0
  191.255.255.255   192.0.0.0       192.0.0.255       192.0.1.0
  192.0.1.255       192.0.2.0       192.0.2.255       192.0.3.0
  192.31.195.255    192.31.196.0    192.31.196.255    192.31.197.0
  192.52.192.255    192.52.193.0    192.52.193.255    192.52.194.0
  192.88.98.255     192.88.99.0     192.88.99.255     192.88.100.0
  192.167.255.255   192.168.0.0     192.168.255.255   192.169.0.0
  192.175.47.255    192.175.48.0    192.175.48.255    192.175.49.0
  198.17.255.255    198.18.0.0      198.19.255.255    198.20.0.0
  198.51.99.255     198.51.100.0    198.51.100.255    198.51.101.0
  203.0.112.255     203.0.113.0     203.0.113.255     203.0.114.0
  223.255.255.255   224.0.0.0       239.255.255.255   -
  -                 240.0.0.0       255.255.255.255   -
  -                 ::              1fff:F            2000::
  2000:F            2001::          2001:1ff:F        2001:200::
  2001:db7:F        2001:db8::      2001:db8:F        2001:db9::
  2001:F            2002::          2002:F            2003::
  2620:4f:7fff:F    2620:4f:8000::  2620:4f:8000:F    2620:4f:8001::
  3ffd:F            3ffe::          3ffe:F            -
  -                 3fff::          3fff:fff:F        3fff:1000::
  3fff:F            4000::          ffff:F            -`

/** `2001:db8:F` is the last address with this prefix. */
const full = (text: string): string => {
  const groups = text.replace(/:F$/, '').split(':')
  return text.endsWith(':F') ? [...groups, ...Array.from({ length: 8 - groups.length }, () => 'ffff')].join(':') : text
}

const rows = blocks
  .trim()
  .split('\n')
  .map(line => line.trim().split(/\s+/).map(full))

test.each(rows)('%s is public, %s to %s are not, %s is public', (before, first, last, after) => {
  const verdict = [before, first, last, after]
    .filter(address => address !== '-')
    .map(address => [address, isPublic(address)])
  const wanted = [before !== '-' && [before, true], [first, false], [last, false], after !== '-' && [after, true]]
  expect(verdict).toEqual(wanted.filter(row => row !== false))
})

test.each(
  `
  ::ffff:8.8.8.8            public   the IPv4 address that it is
  ::FFFF:808:808            public   the same, written otherwise
  ::ffff:10.0.0.1           special
  ::ffff:7f00:1             special
  0:0:0:0:0:ffff:a9fe:a9fe  special
  64:ff9b::8.8.8.8          public   by a gateway to IPv4
  64:ff9b::808:808          public
  64:ff9b::127.0.0.1        special
  64:ff9b::a9fe:a9fe        special
  64:ff9b::1:8.8.8.8        special  beside the gateway's prefix
  64:ff9b:1::8.8.8.8        special  a gateway of this network's own
  ::8.8.8.8                 special  a form that is not used any more
  ::ffff:0:8.8.8.8          special
  2002:808:808::1           special  6to4
  2002:7f00:1::             special
  2001:0:808:808::f7f7:f7f7 special  Teredo
  ::1                       special
  fe80::1                   special
  fe80::1%eth0              special
  fec0::1                   special
  fc00::1                   special
  fd00:ec2::254             special  metadata
  ff02::1                   special
  100::1                    special
  5f00::1                   special
  2606:4700:4700::1111      public
  2A00:1450:4001:80B::200E  public
  2620:004F:8000:0:0::1     special
  2001:0DB8:0:0:0:0:0:1     special
  8.8.8                     special  no address at all
  010.8.8.8                 special
  0x8.8.8.8                 special
  134744072                 special
  example.com               special`
    .trim()
    .split('\n')
    .map(line => line.trim().split(/\s+/)),
)('%s is %s', (address, verdict) => {
  expect(isPublic(address ?? '')).toBe(verdict === 'public')
})
