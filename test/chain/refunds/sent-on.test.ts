import { expect, test } from 'bun:test'
import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../../src/actors/kind.ts'
import { no, through } from '../watch/node.ts'
import { decide, endWhileDeciding, houseOfFile } from './refund-house.ts'

const { house, on } = await houseOfFile()

let addresses = 0
/** Of somebody who has nothing yet. */
const somebody = () => `0x${(++addresses).toString(16).padStart(40, 'c0ffee')}`
const owed = async (destination = somebody()) => ({
  destination,
  refund: await on.made({ coins: true, destination }),
})
const hex = (value: bigint | number) => `0x${value.toString(16)}`

/** Code that sends so many coins to an address. */
const sendsOn = (to: string, amount: bigint) =>
  `5f5f5f5f63${amount.toString(16).padStart(8, '0')}73${to.slice(2)}5af150`

/** A wallet that is a contract, and does so whenever it is called. */
const wallet = async (...calls: readonly string[]) => {
  const code = `${calls.join('')}00`
  const length = (code.length / 2).toString(16).padStart(4, '0')
  const hash = await on.send({ data: `0x61${length}80600a5f395ff3${code}` })
  await on.chain.mine()
  const receipt = await on.chain.rpc<{ contractAddress: string }>('eth_getTransactionReceipt', hash)
  await on.chain.rpc('anvil_setBalance', receipt.contractAddress, hex(10n ** 12n))
  return receipt.contractAddress
}
const bySafe = async (...calls: readonly string[]) => on.send({ to: await wallet(...calls) })

const named = async (refund: Actor<Refund>, txHash: string) => {
  await on.happen(refund, { type: 'transaction_sent', txHash })
  return txHash
}
const look = async (refund: Actor<Refund>) => {
  const { attention } = (await on.find(refund.id)).context
  const [row] = await house.sql<{ doubt: string | null; asks: boolean }[]>`
    select doubt, person_from <= now() as asks from refund_looks where refund_id = ${refund.id}`
  return { ...(await on.look(refund)), attention, doubt: row?.doubt ?? null, asks: row?.asks ?? null }
}
const judged = async (refund: Actor<Refund>, ...urls: string[]) => {
  await decide(house, on.chainOf(...urls))
  return look(refund)
}
const paid = { state: 'processed', failureReason: null, attention: false, refunded: 1000, events: ['refund.processed'] }
const waits = (doubt: string, asks: boolean) => ({ state: 'processing', reserved: 1000, events: [], doubt, asks })

test('coins that a contract sends on pay the refund, and its rise of the balance no other', async () => {
  const { refund, destination } = await owed()
  const other = await on.made({ coins: true, destination })
  const hash = await named(refund, await bySafe(sendsOn(destination, 1000n)))
  // Whoever sends as much by itself, in the same block, is nobody's matter.
  await on.send({ to: destination, value: hex(1000) })
  await on.bury()
  expect(await judged(refund)).toMatchObject({ ...paid, txHash: hash })
  const [rise] = await house.sql<{ number: number }[]>`select block_number::int as number from refund_rises`
  const block = await on.chain.rpc<{ transactions: string[] }>('eth_getBlockByNumber', hex(rise?.number ?? 0), false)
  expect(block.transactions).toHaveLength(2)
  await named(other, block.transactions.find(each => each !== hash) ?? '')
  // That one has paid by itself.
  expect(await judged(other)).toMatchObject(paid)
})

test.each<readonly [string, (to: string) => readonly string[], object]>([
  ['less', to => [sendsOn(to, 999n)], { failureReason: 'amount_mismatch', attention: true }],
  ['nothing', () => [], { failureReason: 'wrong_recipient', attention: false }],
  ['as much to another', () => [sendsOn(somebody(), 1000n)], { failureReason: 'wrong_recipient', attention: false }],
])('a contract that sends on %s has not paid it', async (_, calls, verdict) => {
  const { refund, destination } = await owed()
  await named(refund, await bySafe(...calls(destination)))
  await on.bury()
  expect(await judged(refund)).toMatchObject({ state: 'failed', reserved: 0, ...verdict })
})

test('a contract that sends on more may have paid several, and a person looks', async () => {
  const { refund, destination } = await owed()
  await named(refund, await bySafe(sendsOn(destination, 1000n), sendsOn(destination, 1000n)))
  await on.bury()
  expect(await judged(refund)).toMatchObject(waits('balance_unclear', true))
})

test('two that contracts pay at one address in the same block, named one after the other, are for a person', async () => {
  const { refund, destination } = await owed()
  const twin = await on.made({ coins: true, destination })
  const [first, second] = [await wallet(sendsOn(destination, 1000n)), await wallet(sendsOn(destination, 1000n))]
  const hashes = [await on.send({ to: first }), await on.send({ to: second })]
  await named(refund, hashes[0] ?? '')
  await on.bury()
  expect(await judged(refund)).toMatchObject(waits('balance_unclear', true))
  await named(twin, hashes[1] ?? '')
  expect(await judged(twin)).toMatchObject(waits('balance_unclear', true))
})

test('a contract whose inner call has failed pays nothing with what another one sends in the same block', async () => {
  const { refund, destination } = await owed()
  const [fails, others] = [await wallet(), await wallet(sendsOn(destination, 1000n))]
  await named(refund, await on.send({ to: fails }))
  await on.send({ to: others })
  await on.bury()
  expect(await judged(refund)).toMatchObject(waits('balance_unclear', true))
})

test('coins that a contract has sent on as they came pay it', async () => {
  const { refund, destination } = await owed()
  const through = await wallet(sendsOn(destination, 1000n))
  await named(refund, await on.send({ to: through, value: hex(1000) }))
  await on.bury()
  expect(await judged(refund)).toMatchObject(paid)
})

test.each([
  ['has sent coins on', true],
  ['did nothing', false],
])('an account that %s, and has given its code up since, is judged as it was', async (_, isPaid) => {
  const { refund, destination } = await owed()
  const account = await wallet(...(isPaid ? [sendsOn(destination, 1000n)] : []))
  await named(refund, await on.send({ to: account }))
  await on.bury()
  await on.chain.rpc('anvil_setCode', account, '0x')
  expect(await judged(refund)).toMatchObject(isPaid ? paid : { state: 'failed', failureReason: 'wrong_recipient' })
})

test('where nodes have forgotten whether there was code, the balance tells', async () => {
  await using pruned = await without('eth_getCode')
  const { refund, destination } = await owed()
  await named(refund, await bySafe(sendsOn(destination, 1000n)))
  await on.bury()
  expect(await judged(refund, pruned.url)).toMatchObject(waits('balance_unknown', false))
  expect(await judged(refund)).toMatchObject(paid)
})

test('coins that are sent on in parts pay it, if they come to as much', async () => {
  const { refund, destination } = await owed()
  await named(refund, await bySafe(sendsOn(destination, 400n), sendsOn(destination, 600n)))
  await on.bury()
  expect(await judged(refund)).toMatchObject(paid)
})

test('what a transaction to somebody without code has not paid fails without asking for balances', async () => {
  await using pruned = await without('eth_getBalance')
  const { refund } = await owed()
  await named(refund, await on.send({ to: somebody(), value: hex(1000) }))
  await on.bury()
  expect(await judged(refund, pruned.url)).toMatchObject({ state: 'failed', failureReason: 'wrong_recipient' })
})

const without = (method: string) =>
  through(on.chain.url, (question, answer) => (question.method === method ? no : answer))

test('while nodes have forgotten the balances it is looked at again, and by a person after a day', async () => {
  await using pruned = await without('eth_getBalance')
  const { refund, destination } = await owed()
  await named(refund, await bySafe(sendsOn(destination, 1000n)))
  await on.bury()
  for (let n = 0; n < 3; n++) expect(await judged(refund, pruned.url)).toMatchObject(waits('balance_unknown', false))
  await house.sql`update refund_looks set person_from = person_from - interval '1 day'`
  expect(await judged(refund, pruned.url)).toMatchObject(waits('balance_unknown', true))
  const [row] = await house.sql<{ later: boolean }[]>`select next_look_at > now() as later from refund_looks`
  expect(row?.later).toBe(true)
  expect(await judged(refund)).toMatchObject(paid)
})

test('a node that lies about a balance decides nothing as long as another one is asked', async () => {
  let more = 1000n
  await using liar = await through(on.chain.url, ({ method, params }, answer) =>
    method === 'eth_getBalance' && params[0] === destination && params[1] === at
      ? hex(BigInt(String(answer)) + more)
      : answer,
  )
  const { refund, destination } = await owed()
  await named(refund, await bySafe(sendsOn(somebody(), 1000n)))
  await on.chain.mine()
  const at = await on.chain.rpc<string>('eth_blockNumber')
  await on.bury()
  for (more of [1000n, 1n])
    expect(await judged(refund, on.chain.url, liar.url)).toMatchObject(waits('balance_unknown', false))
  expect(await judged(refund)).toMatchObject({ state: 'failed', failureReason: 'wrong_recipient', attention: false })
})

test('of a destination that sends in the same block nothing is said, and a person looks at once', async () => {
  const [, destination = ''] = await on.chain.rpc<string[]>('eth_accounts')
  const { refund } = await owed(destination)
  await named(refund, await bySafe(sendsOn(destination, 1000n)))
  await on.send({ from: destination, to: somebody(), gas: '0x5208' })
  await on.bury()
  expect(await judged(refund)).toMatchObject(waits('balance_unclear', true))
})

test('a destination with code is paid where its balance says so, and may have sent it on where not', async () => {
  const destination = await wallet(sendsOn(somebody(), 0n))
  const { refund } = await owed(destination)
  await named(refund, await bySafe(sendsOn(destination, 1000n)))
  await on.bury()
  expect(await judged(refund)).toMatchObject(paid)

  const exchange = await wallet(sendsOn(somebody(), 1000n))
  const next = await owed(exchange)
  await named(next.refund, await bySafe(sendsOn(exchange, 1000n)))
  await on.bury()
  expect(await judged(next.refund)).toMatchObject(waits('balance_unclear', true))
})

test('two refunds to one address that contracts pay in the same block: the rise is neither’s', async () => {
  const { refund, destination } = await owed()
  const twin = await on.made({ coins: true, destination })
  const [first, second] = [await wallet(sendsOn(destination, 1000n)), await wallet()]
  await named(refund, await on.send({ to: first }))
  await named(twin, await on.send({ to: second }))
  await on.chain.mine()
  await on.read()
  // Both are found where they are, and wait for that to be final.
  await decide(house, on.chainOf())
  await on.bury()
  await decide(house, on.chainOf())
  for (const each of [refund, twin]) expect(await look(each)).toMatchObject(waits('balance_unclear', true))
})

test('nor can two that are looked at in the same moment both be paid by it', async () => {
  const { refund, destination } = await owed()
  const twin = await on.made({ coins: true, destination })
  const [first, second] = [await wallet(sendsOn(destination, 1000n)), await wallet()]
  await named(refund, await on.send({ to: first }))
  await named(twin, await on.send({ to: second }))
  await on.bury()
  await Promise.all([1, 2, 3].map(() => decide(house, on.chainOf())))
  const seen = await Promise.all([refund, twin].map(look))
  expect(seen.map(({ state }) => state).sort()).toEqual(['processed', 'processing'])
  expect(seen.find(({ state }) => state === 'processing')).toMatchObject(waits('balance_unclear', true))
})

test('a worker that ends before or after its verdict is committed leaves it to the next, with its rise', async () => {
  for (const when of ['before', 'after'] as const) {
    const { refund, destination } = await owed()
    await named(refund, await bySafe(sendsOn(destination, 1000n)))
    await on.bury()
    await endWhileDeciding(house, on.chainOf(), when)
    expect(await judged(refund)).toMatchObject(paid)
  }
})

test('one whose block is reorganised away is judged by the block that it is in then', async () => {
  const { refund, destination } = await owed()
  const safe = await wallet(sendsOn(destination, 1000n))
  const hash = await named(refund, await on.send({ to: safe }))
  const raw = await on.chain.rpc<string>('eth_getRawTransactionByHash', hash)
  await on.chain.mine(2)
  await on.read()
  await decide(house, on.chainOf())
  await on.chain.reorganize(2, [[raw, 1]])
  await on.bury()
  expect(await judged(refund)).toMatchObject({ ...paid, txHash: hash })
})
