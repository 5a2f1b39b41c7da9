import { expect, test } from 'bun:test'
import { transferUri } from '../../src/chain/transfer-uri.ts'

/** Parses a link by EIP-681: target address, chain, function and arguments. */
const read = (uri: string) => {
  const [, target, chainId, call, query] =
    /^ethereum:(?:pay-)?(0x[\da-fA-F]{40})(?:@(\d+))?(?:\/(\w+))?\?(.+)$/.exec(uri) ?? []
  const given = [...new URLSearchParams(query)].map(([name, value]) => [name, value.toLowerCase()])
  const { value, ...rest } = Object.fromEntries(given) as Record<string, string>
  return {
    ...{ target: target?.toLowerCase(), chainId: Number(chainId ?? 1), call, ...rest },
    // May be in scientific notation: `2.014e18`.
    value: value === undefined ? undefined : BigInt(Number(value)),
  }
}

const onMainnet = { chainId: 1 }

test.each([
  [
    'ethereum:0xfb6916095ca1df60bb79Ce92ce3ea74c37c5d359?value=2.014e18',
    { tokenAddress: null, to: '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359', amount: 2_014_000_000_000_000_000n },
  ],
  [
    'ethereum:0x89205a3a3b2a69de6dbf7f01ed13b2108b2c43e7/transfer?address=0x8e23ee67d1332ad560396262c48ffbb01f93d052&uint256=1',
    {
      tokenAddress: '0x89205a3a3b2a69de6dbf7f01ed13b2108b2c43e7',
      to: '0x8e23ee67d1332ad560396262c48ffbb01f93d052',
      amount: 1n,
    },
  ],
] as const)('a link has the meaning of the example in EIP-681: %s', (written, transfer) => {
  expect(read(transferUri({ ...onMainnet, ...transfer }))).toEqual(read(written))
})

test('a link contains the chain id, addresses with checksums, and every digit of the amount', () => {
  const to = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  const amount = 2n ** 256n - 1n
  expect(transferUri({ chainId: 137, tokenAddress: null, to: to.toLowerCase(), amount })).toBe(
    `ethereum:${to}@137?value=${amount}`,
  )
  expect(transferUri({ chainId: 8453, tokenAddress: to.toLowerCase(), to, amount })).toBe(
    `ethereum:${to}@8453/transfer?address=${to}&uint256=${amount}`,
  )
})
