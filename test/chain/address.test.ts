import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { getAddress } from 'viem'
import { parseAddress, requireAddress } from '../../src/chain/address.ts'

// The examples of EIP-55.
const checked = `
  0x52908400098527886E0F7030069857D2E4169EE7
  0x8617E340B3D01FA5F11F306F4090FD50E238070D
  0xde709f2102306220921060314715629080e2fb77
  0x27b1fdb04752bbc536007a920d24acb045561c26
  0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed
  0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359
  0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB
  0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb`
  .trim()
  .split(/\s+/)

test.each(checked)('%s has a valid checksum, also computed from lower case', address => {
  expect<string | undefined>(parseAddress(address)).toBe(address)
  expect<string | undefined>(parseAddress(address.toLowerCase())).toBe(address)
  expect<string>(requireAddress(address)).toBe(address.toLowerCase())
  expect<string>(requireAddress(address.toLowerCase())).toBe(address.toLowerCase())
})

test('a thousand addresses, one after another, have the checksums that viem computes', () => {
  const addresses = Array.from({ length: 1_000 }, (_, n): `0x${string}` => {
    const digits = createHash('sha1').update(String(n)).digest('hex')
    return `0x${digits}`
  })
  expect<(string | undefined)[]>(addresses.map(parseAddress)).toEqual(addresses.map(address => getAddress(address)))
})

test('an address with one letter in the wrong case is refused', () => {
  for (const address of checked) {
    for (let at = 2; at < 42; at++) {
      const letter = address.charAt(at)
      const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
      const mistyped = address.slice(0, at) + other + address.slice(at + 1)
      if (other === letter || mistyped === mistyped.toLowerCase()) continue
      expect(parseAddress(mistyped)).toBeUndefined()
      expect(() => requireAddress(mistyped)).toThrow(`"${mistyped}" is not an address`)
    }
  }
})

test.each([
  ['an empty text', ''],
  ['the zero address', `0x${'0'.repeat(40)}`],
  ['no 0x', '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  ['an upper-case 0X', '0X5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'],
  ['an upper-case address, which is not its checksum', '0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED'],
  ['a digit too few', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beae'],
  ['a digit too many', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed0'],
  ['a letter that is not hexadecimal', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaeg'],
  ['a trailing line break', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed\n'],
  ['a name', 'vitalik.eth'],
])('%s is not an address', (_, text) => {
  expect(parseAddress(text)).toBeUndefined()
  expect(() => requireAddress(text)).toThrow(TypeError)
})
