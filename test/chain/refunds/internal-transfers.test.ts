import { expect, test } from 'bun:test'
import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../../src/actors/kind.ts'
import { changedNode, refusal } from '../watch/test-node.ts'
import { decide, endWhileDeciding, openRefundFixtureOfFile } from './refund-fixture.ts'

const { server, fixture } = await openRefundFixtureOfFile()

let addresses = 0
/** A new address without a balance. */
const newAddress = () => `0x${(++addresses).toString(16).padStart(40, 'c0ffee')}`
const owed = async (destination = newAddress()) => ({
  destination,
  refund: await fixture.createRefund({ native: true, destination }),
})
const hex = (value: bigint | number) => `0x${value.toString(16)}`

/** Code that sends an amount to an address. */
const sendsOn = (to: string, amount: bigint) =>
  `5f5f5f5f63${amount.toString(16).padStart(8, '0')}73${to.slice(2)}5af150`

/** Deploys a contract wallet that runs these calls whenever it is called. */
const wallet = async (...calls: readonly string[]) => {
  const code = `${calls.join('')}00`
  const length = (code.length / 2).toString(16).padStart(4, '0')
  const hash = await fixture.send({ data: `0x61${length}80600a5f395ff3${code}` })
  await fixture.chain.mine()
  const receipt = await fixture.chain.rpc<{ contractAddress: string }>('eth_getTransactionReceipt', hash)
  await fixture.chain.rpc('anvil_setBalance', receipt.contractAddress, hex(10n ** 12n))
  return receipt.contractAddress
}
const bySafe = async (...calls: readonly string[]) => fixture.send({ to: await wallet(...calls) })

const named = async (refund: Actor<Refund>, txHash: string) => {
  await fixture.apply(refund, { type: 'transaction_sent', txHash })
  return txHash
}
const summaryOf = async (refund: Actor<Refund>) => {
  const { attention } = (await fixture.find(refund.id)).context
  const [row] = await server.sql<{ doubt: string | null; asks: boolean }[]>`
    select doubt, person_from <= now() as asks from refund_looks where refund_id = ${refund.id}`
  return { ...(await fixture.summaryOf(refund)), attention, doubt: row?.doubt ?? null, asks: row?.asks ?? null }
}
const checked = async (refund: Actor<Refund>, ...urls: string[]) => {
  await decide(server, fixture.chainOf(...urls))
  return summaryOf(refund)
}
const paid = { state: 'processed', failureReason: null, attention: false, refunded: 1000, events: ['refund.processed'] }
const waits = (doubt: string, asks: boolean) => ({ state: 'processing', reserved: 1000, events: [], doubt, asks })

test('an internal transfer of a contract pays one refund with one rise of the balance', async () => {
  const { refund, destination } = await owed()
  const other = await fixture.createRefund({ native: true, destination })
  const hash = await named(refund, await bySafe(sendsOn(destination, 1000n)))
  // A direct transfer of the same amount in the same block is not counted.
  await fixture.send({ to: destination, value: hex(1000) })
  await fixture.finalizeAll()
  expect(await checked(refund)).toMatchObject({ ...paid, txHash: hash })
  const [rise] = await server.sql<{ number: number }[]>`select block_number::int as number from refund_rises`
  const block = await fixture.chain.rpc<{ transactions: string[] }>(
    'eth_getBlockByNumber',
    hex(rise?.number ?? 0),
    false,
  )
  expect(block.transactions).toHaveLength(2)
  await named(other, block.transactions.find(each => each !== hash) ?? '')
  // The direct transfer pays by itself.
  expect(await checked(other)).toMatchObject(paid)
})

test.each<readonly [string, (to: string) => readonly string[], object]>([
  ['less', to => [sendsOn(to, 999n)], { failureReason: 'amount_mismatch', attention: true }],
  ['nothing', () => [], { failureReason: 'wrong_recipient', attention: false }],
  [
    'the amount to another address',
    () => [sendsOn(newAddress(), 1000n)],
    { failureReason: 'wrong_recipient', attention: false },
  ],
])('a contract that sends %s has not paid the refund', async (_, calls, verdict) => {
  const { refund, destination } = await owed()
  await named(refund, await bySafe(...calls(destination)))
  await fixture.finalizeAll()
  expect(await checked(refund)).toMatchObject({ state: 'failed', reserved: 0, ...verdict })
})

test('a contract that sends more than the amount needs attention: it may have paid several refunds', async () => {
  const { refund, destination } = await owed()
  await named(refund, await bySafe(sendsOn(destination, 1000n), sendsOn(destination, 1000n)))
  await fixture.finalizeAll()
  expect(await checked(refund)).toMatchObject(waits('balance_unclear', true))
})

test('two refunds that contracts pay to one address in one block need attention, named one after the other', async () => {
  const { refund, destination } = await owed()
  const twin = await fixture.createRefund({ native: true, destination })
  const [first, second] = [await wallet(sendsOn(destination, 1000n)), await wallet(sendsOn(destination, 1000n))]
  const hashes = [await fixture.send({ to: first }), await fixture.send({ to: second })]
  await named(refund, hashes[0] ?? '')
  await fixture.finalizeAll()
  expect(await checked(refund)).toMatchObject(waits('balance_unclear', true))
  await named(twin, hashes[1] ?? '')
  expect(await checked(twin)).toMatchObject(waits('balance_unclear', true))
})

test('a contract whose internal transfer failed does not pay with another transfer of the same block', async () => {
  const { refund, destination } = await owed()
  const [fails, others] = [await wallet(), await wallet(sendsOn(destination, 1000n))]
  await named(refund, await fixture.send({ to: fails }))
  await fixture.send({ to: others })
  await fixture.finalizeAll()
  expect(await checked(refund)).toMatchObject(waits('balance_unclear', true))
})

test('native currency that a contract forwards pays the refund', async () => {
  const { refund, destination } = await owed()
  const through = await wallet(sendsOn(destination, 1000n))
  await named(refund, await fixture.send({ to: through, value: hex(1000) }))
  await fixture.finalizeAll()
  expect(await checked(refund)).toMatchObject(paid)
})

test.each([
  ['forwarded native currency', true],
  ['did nothing', false],
])('an account that %s, and has no code any more, is verified as it was in the block', async (_, isPaid) => {
  const { refund, destination } = await owed()
  const account = await wallet(...(isPaid ? [sendsOn(destination, 1000n)] : []))
  await named(refund, await fixture.send({ to: account }))
  await fixture.finalizeAll()
  await fixture.chain.rpc('anvil_setCode', account, '0x')
  expect(await checked(refund)).toMatchObject(isPaid ? paid : { state: 'failed', failureReason: 'wrong_recipient' })
})

test('where the code at the block is pruned, the balance decides', async () => {
  await using pruned = await without('eth_getCode')
  const { refund, destination } = await owed()
  await named(refund, await bySafe(sendsOn(destination, 1000n)))
  await fixture.finalizeAll()
  expect(await checked(refund, pruned.url)).toMatchObject(waits('balance_unknown', false))
  expect(await checked(refund)).toMatchObject(paid)
})

test('internal transfers in parts pay the refund if their sum is the amount', async () => {
  const { refund, destination } = await owed()
  await named(refund, await bySafe(sendsOn(destination, 400n), sendsOn(destination, 600n)))
  await fixture.finalizeAll()
  expect(await checked(refund)).toMatchObject(paid)
})

test('a transaction to an address without code that paid nothing fails without a query of balances', async () => {
  await using pruned = await without('eth_getBalance')
  const { refund } = await owed()
  await named(refund, await fixture.send({ to: newAddress(), value: hex(1000) }))
  await fixture.finalizeAll()
  expect(await checked(refund, pruned.url)).toMatchObject({ state: 'failed', failureReason: 'wrong_recipient' })
})

const without = (method: string) =>
  changedNode(fixture.chain.url, (call, answer) => (call.method === method ? refusal : answer))

test('while balances are pruned the transaction is checked again, and needs attention after a day', async () => {
  await using pruned = await without('eth_getBalance')
  const { refund, destination } = await owed()
  await named(refund, await bySafe(sendsOn(destination, 1000n)))
  await fixture.finalizeAll()
  for (let n = 0; n < 3; n++) expect(await checked(refund, pruned.url)).toMatchObject(waits('balance_unknown', false))
  await server.sql`update refund_looks set person_from = person_from - interval '1 day'`
  expect(await checked(refund, pruned.url)).toMatchObject(waits('balance_unknown', true))
  const [row] = await server.sql<{ later: boolean }[]>`select next_look_at > now() as later from refund_looks`
  expect(row?.later).toBe(true)
  expect(await checked(refund)).toMatchObject(paid)
})

test('a wrong balance of one node decides nothing while another node is asked', async () => {
  let more = 1000n
  await using wrongNode = await changedNode(fixture.chain.url, ({ method, params }, answer) =>
    method === 'eth_getBalance' && params[0] === destination && params[1] === at
      ? hex(BigInt(String(answer)) + more)
      : answer,
  )
  const { refund, destination } = await owed()
  await named(refund, await bySafe(sendsOn(newAddress(), 1000n)))
  await fixture.chain.mine()
  const at = await fixture.chain.rpc<string>('eth_blockNumber')
  await fixture.finalizeAll()
  for (more of [1000n, 1n])
    expect(await checked(refund, fixture.chain.url, wrongNode.url)).toMatchObject(waits('balance_unknown', false))
  expect(await checked(refund)).toMatchObject({ state: 'failed', failureReason: 'wrong_recipient', attention: false })
})

test('a destination that sends in the same block needs attention immediately', async () => {
  const [, destination = ''] = await fixture.chain.rpc<string[]>('eth_accounts')
  const { refund } = await owed(destination)
  await named(refund, await bySafe(sendsOn(destination, 1000n)))
  await fixture.send({ from: destination, to: newAddress(), gas: '0x5208' })
  await fixture.finalizeAll()
  expect(await checked(refund)).toMatchObject(waits('balance_unclear', true))
})

test('a destination with code is paid if its balance shows the amount, and otherwise needs attention', async () => {
  const destination = await wallet(sendsOn(newAddress(), 0n))
  const { refund } = await owed(destination)
  await named(refund, await bySafe(sendsOn(destination, 1000n)))
  await fixture.finalizeAll()
  expect(await checked(refund)).toMatchObject(paid)

  const exchange = await wallet(sendsOn(newAddress(), 1000n))
  const next = await owed(exchange)
  await named(next.refund, await bySafe(sendsOn(exchange, 1000n)))
  await fixture.finalizeAll()
  expect(await checked(next.refund)).toMatchObject(waits('balance_unclear', true))
})

test('of two refunds that contracts pay to one address in one block, the rise pays neither', async () => {
  const { refund, destination } = await owed()
  const twin = await fixture.createRefund({ native: true, destination })
  const [first, second] = [await wallet(sendsOn(destination, 1000n)), await wallet()]
  await named(refund, await fixture.send({ to: first }))
  await named(twin, await fixture.send({ to: second }))
  await fixture.chain.mine()
  await fixture.read()
  // Both are found in the block and wait for its finality.
  await decide(server, fixture.chainOf())
  await fixture.finalizeAll()
  await decide(server, fixture.chainOf())
  for (const each of [refund, twin]) expect(await summaryOf(each)).toMatchObject(waits('balance_unclear', true))
})

test('two refunds checked in parallel are not both paid by one rise', async () => {
  const { refund, destination } = await owed()
  const twin = await fixture.createRefund({ native: true, destination })
  const [first, second] = [await wallet(sendsOn(destination, 1000n)), await wallet()]
  await named(refund, await fixture.send({ to: first }))
  await named(twin, await fixture.send({ to: second }))
  await fixture.finalizeAll()
  await Promise.all([1, 2, 3].map(() => decide(server, fixture.chainOf())))
  const seen = await Promise.all([refund, twin].map(summaryOf))
  expect(seen.map(({ state }) => state).sort()).toEqual(['processed', 'processing'])
  expect(seen.find(({ state }) => state === 'processing')).toMatchObject(waits('balance_unclear', true))
})

test('after a worker ends before or after the commit of a verdict, the next one decides the same, with its rise', async () => {
  for (const when of ['before', 'after'] as const) {
    const { refund, destination } = await owed()
    await named(refund, await bySafe(sendsOn(destination, 1000n)))
    await fixture.finalizeAll()
    await endWhileDeciding(server, fixture.chainOf(), when)
    expect(await checked(refund)).toMatchObject(paid)
  }
})

test('a transaction moved by a reorg is verified in its new block', async () => {
  const { refund, destination } = await owed()
  const safe = await wallet(sendsOn(destination, 1000n))
  const hash = await named(refund, await fixture.send({ to: safe }))
  const raw = await fixture.chain.rpc<string>('eth_getRawTransactionByHash', hash)
  await fixture.chain.mine(2)
  await fixture.read()
  await decide(server, fixture.chainOf())
  await fixture.chain.reorganize(2, [[raw, 1]])
  await fixture.finalizeAll()
  expect(await checked(refund)).toMatchObject({ ...paid, txHash: hash })
})
