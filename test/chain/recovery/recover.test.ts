import { expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { readTreasuryCode } from '../../../src/chain/collect/treasury.ts'
import { deploymentProxy, forwarderOf, saltOf } from '../../../src/chain/forwarder.ts'
import { writeRecoveryFile } from '../../../src/chain/recovery/file.ts'
import { findFunds } from '../../../src/chain/recovery/find.ts'
import { askAt } from '../contracts/ask.ts'
import { type FactoryChain, factoryChain } from '../contracts/chain.ts'
import { runRecover } from './command.ts'

const treasury = '0x52908400098527886e0f7030069857d2e4169ee7'
const secret = new Uint8Array(32).fill(7)
const addressAt = (counter: number, to: Hex = treasury) => forwarderOf(to)(saltOf(secret, counter))
const recovery = {
  treasuries: [{ address: treasury, codeHash: null, onlyOn: null }],
  secret,
  highestCounter: 300,
  chains: [],
} as const

// The key of anvil's first account, which is public.
const richKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

/** Payments before and after the file was written, in native currency and in a token. */
const fund = async (chain: FactoryChain) => {
  const token = await chain.deploy('good-token')
  const counters = [0, 7, 300, 301, 900]
  await chain.mint(
    token,
    counters.map(counter => addressAt(counter)),
    100n,
  )
  for (const counter of [7, 8, 1200]) await chain.pay(addressAt(counter), 5n)
  return token
}

test('without a database, all money is found and swept with the recovery file and a node', async () => {
  await using chain = await factoryChain({ bare: true })
  const token = await fund(chain)
  const run = () =>
    runRecover(writeRecoveryFile(recovery), ['--token', token, '--gap', '1000'], {
      RPC_URL: chain.url,
      SENDER_KEY: richKey,
    })
  const { exit, said } = await run()
  expect(exit, said).toBe(0)
  expect(said).toContain(
    `Chain 31337: searching for native currency, ${token.toLowerCase()}; add other tokens with --token`,
  )
  expect(said).toContain(`7 of 2201 addresses hold money for ${treasury}`)
  expect(said).toContain(`  8  ${addressAt(8)}  0.000000000000000005 native currency`)
  expect(said).toMatch(/^ {2}4 addresses, \d{5,6} gas each$/m)
  expect(await chain.tokenBalance(token, treasury)).toBe(500n)
  expect(await chain.nativeBalance(treasury)).toBe(15n)

  const again = await run()
  expect(again.exit).toBe(0)
  expect(again.said).toContain('0 of 2201 addresses hold money')
})

test('tokens listed in the file are found and swept, and no others', async () => {
  await using chain = await factoryChain()
  const [listed, other] = [await chain.deploy('good-token'), await chain.deploy('good-token')]
  await chain.mint(listed, [addressAt(1)], 2_500_000n)
  const tokensOf = (address: Hex) => [{ asset: 'TUSD', address, decimals: 6 }]
  const chains = [
    { chainId: 31337, tokens: tokensOf(listed) },
    { chainId: 31338, tokens: tokensOf(other) },
  ]
  const run = (file: string) => runRecover(file, ['--gap', '10'], { RPC_URL: chain.url, SENDER_KEY: richKey })

  // As in files of versions without token lists.
  const { chains: _, ...old } = JSON.parse(writeRecoveryFile({ ...recovery, chains }))
  const none = await run(JSON.stringify(old))
  expect(none.exit, none.said).toBe(0)
  expect(none.said).toContain('Chain 31337: searching for native currency; add other tokens with --token')
  expect(none.said).toContain('0 of 311 addresses hold money')

  const { exit, said } = await run(writeRecoveryFile({ ...recovery, chains }))
  expect(exit, said).toBe(0)
  expect(said).toContain('Chain 31337: searching for native currency, TUSD; add other tokens with --token')
  expect(said).toContain(`  1  ${addressAt(1)}  2.5 TUSD`)
  expect(await chain.tokenBalance(listed, treasury)).toBe(2_500_000n)
})

test('without a key the transactions are printed, and sending them pays the treasury', async () => {
  await using chain = await factoryChain({ bare: true })
  const token = await fund(chain)
  const [, stranger] = await chain.client.getAddresses()
  const sendPrinted = async () => {
    const { exit, printed, said } = await runRecover(writeRecoveryFile(recovery), ['--token', token, '--gap', '1000'], {
      RPC_URL: chain.url,
    })
    expect(exit, said).toBe(0)
    const transactions: { chainId: number; to: Hex; data: Hex; gas: Hex }[] = printed
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line))
    for (const { chainId, to, data, gas } of transactions) {
      expect(chainId).toBe(31337)
      expect((await chain.send(to, data, { gas: BigInt(gas), from: stranger ?? '0x' })).status).toBe('success')
    }
    return transactions.map(({ to }) => to)
  }
  expect(await sendPrinted()).toEqual([deploymentProxy])
  // Addresses with the token, with native currency, and with both.
  expect(await sendPrinted()).toHaveLength(3)
  expect(await chain.tokenBalance(token, treasury)).toBe(500n)
  expect(await chain.nativeBalance(treasury)).toBe(15n)
  expect(await sendPrinted()).toEqual([])
})

test('the search continues after swept addresses and ends after --gap unused ones', async () => {
  await using chain = await factoryChain()
  const ask = askAt(chain.url)
  await chain.pay(addressAt(94), 5n)
  await chain.pay(addressAt(189), 5n)
  const none = { ...recovery, highestCounter: null }
  expect((await findFunds(ask, none, [treasury], { tokens: [], gap: 94 })).found).toEqual([])
  expect((await findFunds(ask, none, [treasury], { tokens: [], gap: 95 })).found.map(({ counter }) => counter)).toEqual(
    [94, 189],
  )

  await chain.collect(treasury, [saltOf(secret, 94)], [`0x${'0'.repeat(40)}`])
  const { found, searched } = await findFunds(ask, none, [treasury], { tokens: [], gap: 95 })
  expect(found.map(({ counter }) => counter)).toEqual([189])
  expect(searched).toBe(285)
})

test('every address issued before the file was written is checked, and --gap more', async () => {
  await using chain = await factoryChain()
  for (const counter of [300, 310, 320]) await chain.pay(addressAt(counter), 5n)
  const { found, searched } = await findFunds(askAt(chain.url), recovery, [treasury], { tokens: [], gap: 10 })
  expect([found.map(({ counter }) => counter), searched]).toEqual([[300, 310, 320], 331])
  await using empty = await factoryChain()
  expect(await findFunds(askAt(empty.url), recovery, [treasury], { tokens: [], gap: 10 })).toMatchObject({
    ...{ found: [], searched: 311 },
  })
})

test('a token that refuses its transfer is left and reported, and the others are swept', async () => {
  await using chain = await factoryChain()
  const [good, mean] = [await chain.deploy('good-token'), await chain.deploy('endless-token')]
  for (const token of [good, mean]) await chain.mint(token, [addressAt(1), addressAt(2)], 100n)
  const args = ['--token', mean, '--token', good, '--gap', '10']
  const { exit, said } = await runRecover(writeRecoveryFile(recovery), args, {
    RPC_URL: chain.url,
    SENDER_KEY: richKey,
  })
  expect(exit, said).toBe(0)
  for (const counter of [1, 2])
    expect(said).toContain(`Left at ${addressAt(counter)}: token ${mean.toLowerCase()} cannot be transferred`)
  expect(await chain.tokenBalance(good, treasury)).toBe(200n)
})

test('nothing is swept to a treasury whose code differs on this chain', async () => {
  await using chain = await factoryChain()
  const contract = await chain.deploy('reentering-treasury')
  const code = await readTreasuryCode(askAt(chain.url), contract)
  const lost = '0x00000000000000000000000000000000000000aa'
  const run = async (address: Hex, codeHash: Hex | null) => {
    await chain.pay(addressAt(1, address), 5n)
    const file = writeRecoveryFile({ ...recovery, treasuries: [{ address, codeHash, onlyOn: null }] })
    return await runRecover(file, ['--gap', '10'], { RPC_URL: chain.url, SENDER_KEY: richKey })
  }
  const elsewhere = await run(lost, code)
  expect(elsewhere).toMatchObject({ exit: 1, printed: '' })
  expect(elsewhere.said).toContain('is not the contract on this chain')
  const taken = await run(contract, null)
  expect(taken).toMatchObject({ exit: 1, printed: '' })
  expect(taken.said).toContain('is a contract on this chain')
  expect(await chain.nativeBalance(lost)).toBe(0n)

  expect((await run(contract, code)).exit).toBe(0)
  expect(await chain.nativeBalance(contract)).toBe(10n)
})

test('each treasury of the file gets its own money, and one whose code differs is reported and skipped', async () => {
  await using chain = await factoryChain()
  const second = '0x8617e340b3d01fa5f11f306f4090fd50e238070d'
  const lost = '0x00000000000000000000000000000000000000aa'
  await chain.pay(addressAt(1), 5n)
  for (const [counter, to] of [
    [2, second],
    [40, second],
    [3, lost],
  ] as const)
    await chain.pay(addressAt(counter, to), 7n)
  const treasuries = [...recovery.treasuries, { address: second, codeHash: null, onlyOn: 31337 }] as const
  const codeHash = `0x${'12'.repeat(32)}` as const
  const file = {
    ...recovery,
    highestCounter: 3,
    treasuries: [...treasuries, { address: lost, codeHash, onlyOn: null }],
  } as const
  const run = () => runRecover(writeRecoveryFile(file), ['--gap', '50'], { RPC_URL: chain.url, SENDER_KEY: richKey })
  const { exit, said } = await run()
  expect(exit, said).toBe(0)
  expect(said).toContain(`The treasury ${lost} is not the contract`)
  expect(said).toContain(`1 of 91 addresses hold money for ${treasury}`)
  expect(said).toContain(`2 of 91 addresses hold money for ${second}`)
  expect(await Promise.all([treasury, second, lost].map(address => chain.nativeBalance(address as Hex)))).toEqual([
    5n,
    14n,
    0n,
  ])
})

test.each([
  ['no RPC_URL', {}, 'RPC_URL must be the http or https URL of a node'],
  ['a node that does not run', { RPC_URL: 'http://127.0.0.1:9/api-key-1234' }, 'unreachable'],
  ['an invalid sender key', { RPC_URL: 'http://127.0.0.1:9', SENDER_KEY: 'key-1234' }, 'SENDER_KEY is not'],
])('with %s the command says so in a line, without a secret', async (_, env, line) => {
  const { exit, printed, said } = await runRecover(writeRecoveryFile(recovery), [], { ...env })
  expect({ exit, printed }).toEqual({ exit: 1, printed: '' })
  expect(said).toContain(line)
  expect(said.trim().split('\n')).toHaveLength(1)
  expect(said).not.toContain('1234')
})

test('a sender without native currency gets an error with the remedy', async () => {
  await using chain = await factoryChain()
  await chain.pay(addressAt(1), 5n)
  const { exit, said } = await runRecover(writeRecoveryFile(recovery), ['--gap', '10'], {
    RPC_URL: chain.url,
    SENDER_KEY: `0x${'12'.repeat(32)}`,
  })
  expect(exit).toBe(1)
  expect(said).toContain('has native currency for gas')
})
