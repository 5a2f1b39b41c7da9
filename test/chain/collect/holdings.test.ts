import { expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { readHoldings } from '../../../src/chain/collect/holdings.ts'
import { readTreasuryCode } from '../../../src/chain/collect/treasury.ts'
import { forwarderOf, saltOf } from '../../../src/chain/forwarder.ts'
import { askAt } from '../contracts/ask.ts'
import { factoryChain } from '../contracts/chain.ts'

test('the balances of 2,000 addresses equal those read one by one', async () => {
  await using chain = await factoryChain()
  const salts = Array.from({ length: 2000 }, (_, at) => saltOf(new Uint8Array(32).fill(7), at + 1))
  const treasury = '0x52908400098527886e0f7030069857d2e4169ee7'
  const addresses = salts.map(forwarderOf(treasury))
  const [good, silent] = [await chain.deploy('good-token'), await chain.deploy('silent-token')]
  const chosen = [0, 190, 191, 192, 767, 768, 1999]
  const at = (place: number): Hex => addresses[place] ?? '0x'
  await chain.collect(treasury, salts.slice(767, 768), [good])
  for (const place of chosen) await chain.pay(at(place), BigInt(place) + 1n)
  await chain.mint(good, chosen.map(at), 9n)
  // Contract code may not begin with this byte, and the answer is returned as contract code.
  await chain.client.setBalance({ address: at(0), value: 0xefn << 248n })

  const ask = askAt(chain.url)
  const found = await readHoldings(ask, addresses, [good, silent])
  expect(found.map(({ address }) => address)).toEqual(addresses)
  const asked = await ask(addresses.map(address => ({ method: 'eth_getBalance', params: [address, 'latest'] })))
  expect(found.map(({ native }) => native)).toEqual(asked.map(each => BigInt(String(each))))
  for (const [place, { tokens, deployed }] of found.entries()) {
    expect(tokens).toEqual([chosen.includes(place) ? 9n : 0n, undefined])
    expect(deployed).toBe(place === 767)
  }
})

test('a treasury with a key has no code hash, also with an EIP-7702 delegation, and a contract has one', async () => {
  await using chain = await factoryChain()
  const ask = askAt(chain.url)
  const wallet = '0x00000000000000000000000000000000000000aa'
  expect(await readTreasuryCode(ask, wallet)).toBeNull()
  await chain.client.setCode({ address: wallet, bytecode: `0xef0100${'12'.repeat(20)}` })
  expect(await readTreasuryCode(ask, wallet)).toBeNull()

  const [one, same] = [await chain.deploy('refusing-treasury'), await chain.deploy('refusing-treasury')]
  const other = await chain.deploy('gas-eating-treasury')
  const code = await readTreasuryCode(ask, one)
  expect(code).toMatch(/^0x[0-9a-f]{64}$/)
  expect(await readTreasuryCode(ask, same)).toBe(code)
  expect(await readTreasuryCode(ask, other)).not.toBe(code)
})
