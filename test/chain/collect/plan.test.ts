import { expect, test } from 'bun:test'
import { encodeFunctionData, type Hex, zeroAddress as nativeAsset, parseAbi } from 'viem'
import { planSweeps } from '../../../src/chain/collect/plan.ts'
import { factory, forwarderOf, saltOf } from '../../../src/chain/forwarder.ts'
import { askAt } from '../contracts/ask.ts'
import { type FactoryChain, factoryChain, stuckIn } from '../contracts/chain.ts'

const treasury = '0x52908400098527886e0f7030069857d2e4169ee7'
const addressOf = forwarderOf(treasury)
const saltsOf = (count: number): Hex[] =>
  Array.from({ length: count }, (_, at) => saltOf(new Uint8Array(32).fill(7), at + 1))

/** Sends all sweeps of a plan. */
const carryOut = async (chain: FactoryChain, sweeps: Awaited<ReturnType<typeof planSweeps>>['sweeps']) => {
  for (const { to, data, gasLimit } of sweeps) {
    const receipt = await chain.send(to, data, { gas: gasLimit })
    expect(receipt.status).toBe('success')
    expect(stuckIn(receipt)).toEqual([])
  }
}

test('addresses with the same tokens are swept together, at most 200 in a transaction, for their own tokens only', async () => {
  await using chain = await factoryChain()
  const [one, two] = [await chain.deploy('good-token'), await chain.deploy('fee-token')]
  const salts = saltsOf(230)
  const deposits = salts.map((salt, at) => ({ salt, tokens: at < 210 ? [one] : at < 220 ? [two, one] : [one, two] }))
  await chain.mint(one, salts.map(addressOf), 100n)
  await chain.mint(two, salts.slice(210).map(addressOf), 100n)

  const { sweeps, leftOut } = await planSweeps(askAt(chain.url), treasury, deposits)
  expect(leftOut).toEqual([])
  expect(sweeps.map(({ to, salts, tokens }) => ({ to, count: salts.length, tokens }))).toEqual([
    { to: factory, count: 200, tokens: [one] },
    { to: factory, count: 10, tokens: [one] },
    { to: factory, count: 20, tokens: [two, one] },
  ])
  await carryOut(chain, sweeps)
  expect(await chain.tokenBalance(one, treasury)).toBe(23_000n)
  expect(await chain.tokenBalance(two, treasury)).toBe(1980n)
})

test('a sweep above the gas limit is split into two transactions', async () => {
  await using chain = await factoryChain()
  const tokens: Hex[] = []
  for (let count = 0; count < 4; count++) tokens.push(await chain.deploy('good-token'))
  const salts = saltsOf(200)
  for (const token of tokens) await chain.mint(token, salts.map(addressOf), 100n)

  const { sweeps } = await planSweeps(
    askAt(chain.url),
    treasury,
    salts.map(salt => ({ salt, tokens })),
  )
  expect(sweeps.map(each => each.salts.length)).toEqual([100, 100])
  for (const { gasLimit, gasPerAddress } of sweeps) {
    expect(gasLimit).toBeLessThan(16_777_216n)
    expect(gasPerAddress).toBeWithin(60_000, 120_000)
  }
  await carryOut(chain, sweeps)
  for (const token of tokens) expect(await chain.tokenBalance(token, treasury)).toBe(20_000n)
})

test.each(['false-return-token', 'reverting-token', 'bomb-token', 'endless-token'])(
  'a %s at 60 addresses is left out, and another token there is swept at its usual gas',
  async name => {
    await using chain = await factoryChain()
    const [good, mean] = [await chain.deploy('good-token'), await chain.deploy(name)]
    const salts = saltsOf(60)
    for (const token of [good, mean]) await chain.mint(token, salts.map(addressOf), 100n)

    const plan = await planSweeps(
      askAt(chain.url),
      treasury,
      salts.map(salt => ({ salt, tokens: [mean, good] })),
    )
    expect(plan.leftOut).toEqual(salts.map(salt => ({ salt, token: mean })))
    expect(plan.sweeps.map(({ salts, tokens }) => [salts.length, tokens])).toEqual([[60, [good]]])
    expect(plan.sweeps[0]?.gasPerAddress).toBeLessThan(62_000)
    await carryOut(chain, plan.sweeps)
    expect(await chain.tokenBalance(good, treasury)).toBe(6000n)
  },
)

test('an address frozen by its token is left out, and the others are swept', async () => {
  await using chain = await factoryChain()
  const token = await chain.deploy('freezing-token')
  const salts = saltsOf(3)
  const [, frozen = '0x'] = salts
  await chain.mint(token, salts.map(addressOf), 100n)
  const freeze = { abi: parseAbi(['function freeze(address holder)']), args: [addressOf(frozen)] } as const
  await chain.send(token, encodeFunctionData(freeze))

  const { sweeps, leftOut } = await planSweeps(
    askAt(chain.url),
    treasury,
    salts.map(salt => ({ salt, tokens: [token] })),
  )
  expect(leftOut).toEqual([{ salt: frozen, token }])
  await carryOut(chain, sweeps)
  expect(await chain.tokenBalance(token, treasury)).toBe(200n)
})

test.each(['refusing-treasury', 'gas-eating-treasury'])(
  'for a %s the native currency is left out, and tokens are swept',
  async name => {
    await using chain = await factoryChain()
    const contract = await chain.deploy(name)
    const good = await chain.deploy('good-token')
    const salts = saltsOf(3)
    await chain.mint(good, salts.map(forwarderOf(contract)), 100n)
    for (const address of salts.map(forwarderOf(contract))) await chain.pay(address, 5n)

    const plan = await planSweeps(
      askAt(chain.url),
      contract,
      salts.map(salt => ({ salt, tokens: [nativeAsset, good] })),
    )
    expect(plan.leftOut).toEqual(salts.map(salt => ({ salt, token: nativeAsset })))
    await carryOut(chain, plan.sweeps)
    expect(await chain.tokenBalance(good, contract)).toBe(300n)
  },
)

test('a plan without deposits has no transactions', async () => {
  await using chain = await factoryChain()
  expect(await planSweeps(askAt(chain.url), treasury, [])).toEqual({ sweeps: [], leftOut: [] })
})
