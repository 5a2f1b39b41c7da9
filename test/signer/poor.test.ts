import { expect, test } from 'bun:test'
import { toHex } from 'viem/utils'
import { connectChains } from '../../src/chain/enabled/connect.ts'
import { checkSignersOfChain } from '../../src/signer/signer-checks.ts'
import { changedNode } from '../chain/watch/test-node.ts'
import { readableLog } from '../harness/lines.ts'
import { instanceForFile } from './signer-instance.ts'

const instance = await instanceForFile()
const { node } = instance

const GWEI = 10n ** 9n
/** Sets the base fee of the next block, which the nodes report. */
const setBaseFee = async (fee: bigint) => {
  await node.call('anvil_setNextBlockBaseFeePerGas', toHex(fee))
  await node.mine()
}
const setBalance = (address: string, balance: bigint) => node.call('anvil_setBalance', address, toHex(balance))

/** A refund signed while a unit of gas costs one gwei, with the cost of its attempts. */
const signed = async () => {
  await setBaseFee(GWEI)
  const signer = await instance.newSigner()
  const [refund] = await instance.refunds(signer.merchantId, 1)
  if (!refund) throw new Error('the refund is missing')
  await instance.sign(refund.id)
  const attempts = () => instance.sql<{ attempt: number; hash: string; cost: string; fee: string }[]>`
    select attempt, tx_hash as hash, (gas * max_fee)::text as cost, max_fee::text as fee
    from signed_transactions where signer_id = ${signer.id} order by attempt`
  const [first] = await attempts()
  if (!first) throw new Error('nothing is signed')
  return { signer, ...refund, attempts, first: { ...first, cost: BigInt(first.cost) } }
}

/** Checks the signed transactions this many times, as if they had waited for long. */
const tend = async (times = 1, { bumpMs = 0, ...more }: Partial<typeof instance.desk> & { bumpMs?: number } = {}) => {
  for (let n = 0; n < times; n++)
    for (const connected of (more.chains ?? instance.desk.chains).all)
      await checkSignersOfChain({ ...instance.desk, ...more }, instance.turns, connected, {
        times: { resendMs: 0, bumpMs },
      })
}

/** A node that reports a sufficient balance and refuses transactions. */
const refusing = async () => {
  const failing = await changedNode(node.url, ({ method }, answer) =>
    method === 'eth_getBalance' ? toHex(10n ** 24n) : answer,
  )
  const all = instance.desk.chains.all.map(({ chain }) => chain)
  const chains = connectChains(all, () => [failing.url], instance.api)
  return {
    chains,
    [Symbol.asyncDispose]: async () => {
      chains.close()
      await failing[Symbol.asyncDispose]()
    },
  }
}

const paid = async ({ signer, destination }: { signer: { id: string }; destination: string }) => {
  await instance.finalize()
  await tend()
  const [row] = await instance.sql<{ state: string }[]>`select state from signer_nonces where signer_id = ${signer.id}`
  return [row?.state, await instance.transfersTo(destination)]
}

test('a signer whose balance is too low for a higher fee signs no replacement, and continues when fees fall', async () => {
  const refund = await signed()
  await setBalance(refund.signer.address, refund.first.cost)
  // Nodes drop transactions that pay too little.
  await node.call('anvil_dropAllTransactions')
  await setBaseFee(100n * GWEI)
  const { log, lines } = readableLog()
  await tend(12, { log })
  expect(await refund.attempts()).toHaveLength(1)
  const warnings = lines().filter(({ signer }) => signer === refund.signer.address)
  expect(warnings.map(({ msg, action }) => [msg, action])).toEqual([
    ['refund transaction not replaced, signer balance too low', 'send native currency to the signer'],
  ])
  await setBaseFee(GWEI)
  await tend()
  expect(await paid(refund)).toEqual(['mined', 1])
})

test('the cheaper transaction is sent again when the balance is too low for its replacement', async () => {
  const refund = await signed()
  await node.call('anvil_dropAllTransactions')
  await setBaseFee(50n * GWEI)
  // The money is spent after the balance was read.
  const at = (step: string) => (step === 'replaced' ? setBalance(refund.signer.address, refund.first.cost) : undefined)
  await tend(1, { onStep: at })
  expect(await refund.attempts()).toHaveLength(2)
  await setBaseFee(GWEI)
  await tend()
  expect(await paid(refund)).toEqual(['mined', 1])
})

test('attempts that no node accepted are not limited to ten, but each is signed only when fees have risen', async () => {
  const refund = await signed()
  await node.call('anvil_dropAllTransactions')
  await setBalance(refund.signer.address, refund.first.cost)
  await using failing = await refusing()
  const { chains } = failing
  for (let n = 1; n <= 12; n++) {
    for (const lower of [0n, GWEI]) {
      await setBaseFee(BigInt(n) * 20n * GWEI - lower)
      await tend(1, { chains })
    }
    expect(await refund.attempts()).toHaveLength(n + 1)
  }
  await setBalance(refund.signer.address, 10n ** 24n)
  await tend()
  expect(await paid(refund)).toEqual(['mined', 1])
})

test('each attempt that no node accepts doubles the delay of the next one, until a node accepts one', async () => {
  const refund = await signed()
  await setBalance(refund.signer.address, refund.first.cost)
  await using failing = await refusing()
  let fee = 20n * GWEI
  /** The number of attempts when fees have risen and the latest attempt has this age. */
  const after = async (seconds: number, chains = failing.chains) => {
    await instance.sql`
      update signed_transactions set created_at = now() - make_interval(secs => ${seconds})
      where signer_id = ${refund.signer.id}`
    await node.call('anvil_dropAllTransactions')
    fee += 20n * GWEI
    await setBaseFee(fee)
    await tend(1, { chains, bumpMs: 60_000 })
    return (await refund.attempts()).length
  }
  expect(await after(59)).toBe(1)
  expect(await after(61)).toBe(2)
  expect(await after(119)).toBe(2)
  expect(await after(121)).toBe(3)
  expect(await after(239)).toBe(3)
  expect(await after(241)).toBe(4)
  await setBalance(refund.signer.address, 10n ** 24n)
  // A node accepts the latest attempt, which is the second that was accepted.
  await tend(1, { bumpMs: 60_000 })
  expect(await after(119, instance.desk.chains)).toBe(4)
  expect(await after(121, instance.desk.chains)).toBe(5)
  expect(await paid(refund)).toEqual(['mined', 1])
})

test('a signer that is funded again continues with the current fees', async () => {
  const refund = await signed()
  await setBalance(refund.signer.address, refund.first.cost)
  await node.call('anvil_dropAllTransactions')
  await setBaseFee(100n * GWEI)
  await tend(12)
  await setBalance(refund.signer.address, 10n ** 24n)
  await tend()
  const fees = (await refund.attempts()).map(({ fee }) => BigInt(fee) > 100n * GWEI)
  expect(fees).toEqual([false, true])
  expect(await paid(refund)).toEqual(['mined', 1])
})

test('the gas of signed transactions that are not mined is not spent twice', async () => {
  const signer = await instance.newSigner()
  const [first, second, third] = await instance.refunds(signer.merchantId, 3)
  await instance.sign(first?.id ?? '')
  const [row] = await instance.sql<{ cost: string }[]>`
    select (gas * max_fee)::text as cost from signed_transactions where signer_id = ${signer.id}`
  // Enough for two and a half transactions.
  await instance.node.call('anvil_setBalance', signer.address, `0x${((BigInt(row?.cost ?? 0) * 5n) / 2n).toString(16)}`)
  for (const refund of [second, third]) await instance.sign(refund?.id ?? '')
  expect((await instance.refund(second?.id ?? '')).state).toBe('processing')
  expect([(await instance.refund(third?.id ?? '')).state, await instance.waitOf(third?.id ?? '')]).toEqual([
    'requires_signature',
    'no_gas',
  ])
})
