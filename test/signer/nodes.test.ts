import { expect, test } from 'bun:test'
import { connectChains } from '../../src/chain/enabled/connect.ts'
import { noFilter } from '../../src/queries/list-filters.ts'
import { listRefunds } from '../../src/queries/refunds.ts'
import { listSigners } from '../../src/queries/signer-list.ts'
import { openNamedLocks } from '../../src/signer/named-locks.ts'
import { signRefund } from '../../src/signer/sign.ts'
import { checkSignersOfChain } from '../../src/signer/signer-checks.ts'
import { changedNode } from '../chain/watch/test-node.ts'
import { faultyNode } from '../harness/faulty-node.ts'
import { readableLog } from '../harness/lines.ts'
import { instanceForFile } from './signer-instance.ts'

const instance = await instanceForFile()

const turns = openNamedLocks()

/** A signing context with these nodes, none of which has been used before. */
const deskOf = (...urls: string[]) => {
  const all = instance.desk.chains.all.map(({ chain }) => chain)
  const chains = connectChains(all, () => urls, instance.api)
  const { log, lines } = readableLog()
  const desk = { ...instance.desk, chains, log }
  const tend = async ({ bumpMs = 3_600_000 } = {}) => {
    const times = { resendMs: 0, bumpMs }
    for (const connected of chains.all) await checkSignersOfChain(desk, turns, connected, { untouchedMs: 0, times })
  }
  return { desk, tend, lines, [Symbol.dispose]: () => chains.close() }
}

const one = async () => {
  const signer = await instance.newSigner()
  const [refund] = await instance.refunds(signer.merchantId, 1)
  if (!refund) throw new Error('the refund is missing')
  return { signer, ...refund }
}
const stateOf = async (signerId: string) =>
  (await instance.sql<{ state: string }[]>`select state from signer_nonces where signer_id = ${signerId}`)[0]?.state

test.each(['closes_half_way', 'truncates_json', 'garbage'] as const)(
  'a node whose response is lost when a refund is sent (%s) has it, and is asked for it once more',
  async fault => {
    const { id, signer, destination } = await one()
    await using node = await faultyNode(instance.node.url)
    node.break(fault, { methods: ['eth_sendRawTransaction'] })
    using first = deskOf(node.url)
    await signRefund(first.desk, turns, id)
    expect((await instance.refund(id)).state).toBe('processing')
    expect(
      await instance.sql`select from signer_nonces where signer_id = ${signer.id} and sent_at is null`,
    ).toHaveLength(1)
    using second = deskOf(instance.node.url)
    await second.tend()
    expect(
      await instance.sql`select from signer_nonces where signer_id = ${signer.id} and sent_at is null`,
    ).toHaveLength(0)
    await instance.node.mine()
    expect(await instance.transfersTo(destination)).toBe(1)
    await instance.finalize()
    await second.tend()
    expect(await stateOf(signer.id)).toBe('mined')
  },
)

test('while one of two nodes reports a refund as not mined, it is not taken for lost', async () => {
  const { id, signer } = await one()
  using correct = deskOf(instance.node.url)
  await signRefund(correct.desk, turns, id)
  await instance.finalize()
  await using node = await faultyNode(instance.node.url)
  node.break('lies_about_receipt', { how: 'missing' })
  using both = deskOf(node.url, instance.node.url)
  for (let n = 0; n < 3; n++) await both.tend()
  expect([await stateOf(signer.id), (await instance.refund(id)).state]).toEqual(['open', 'processing'])
  node.mend()
  await both.tend()
  expect(await stateOf(signer.id)).toBe('mined')
})

/** Signed, mined and final according to the instance's own node. */
const paidOne = async () => {
  const made = await one()
  using correct = deskOf(instance.node.url)
  await signRefund(correct.desk, turns, made.id)
  await instance.finalize()
  return made
}
const look = async ({ id, signer }: { id: string; signer: { id: string } }) => [
  await stateOf(signer.id),
  (await instance.refund(id)).state,
]
/** The refunds of a merchant that need attention. */
const needing = async ({ merchantId }: { merchantId: string }) => {
  const filter = { ...noFilter, paymentId: undefined, attention: { chainsOn: [31337] } }
  const page = { after: undefined, limit: 100, order: 'asc' } as const
  return (await listRefunds(instance.sql, { merchantId, livemode: false }, filter, page)).map(({ id }) => id)
}
/** Everything that was postponed is due. */
const searchAgain = () => instance.sql`update unclear_nonces set next_search_at = now()`

test('a transaction without a receipt on the only node counts as mined if its block contains it', async () => {
  const refund = await paidOne()
  await using node = await faultyNode(instance.node.url)
  node.break('lies_about_receipt', { how: 'missing' })
  using loneNode = deskOf(node.url)
  await loneNode.tend()
  expect(await look(refund)).toEqual(['mined', 'processing'])
})

test.each([
  ['has forgotten old states', 'forgets_states'],
  ['lists a transaction that does not exist', 'lies_about_hashes'],
] as const)('while the only node has no receipt and %s, the refund needs attention', async (_, lie) => {
  const refund = await paidOne()
  const { number } = await instance.node.head()
  await instance.node.mine(3)
  await instance.finalize()
  await using node = await faultyNode(instance.node.url)
  node.break('lies_about_receipt', { how: 'missing' })
  node.break(lie, lie === 'forgets_states' ? { before: number + 1 } : {})
  using loneNode = deskOf(node.url)
  for (let n = 0; n < 3; n++) {
    await loneNode.tend()
    await searchAgain()
  }
  expect(await look(refund)).toEqual(['open', 'processing'])
  const reported = loneNode.lines().filter(({ signer }) => signer === refund.signer.address)
  expect(reported.map(({ level, msg, action }) => [level, msg, action])).toEqual([
    [40, 'refund transaction outcome unknown, its nonce is used', 'add an archive node to RPC_URLS_31337'],
  ])
  expect(await needing(refund.signer)).toEqual([refund.id])
  expect(
    (await listSigners(instance.sql)).find(({ address }) => address === refund.signer.address)?.unclearSince,
  ).not.toBe(null)
  node.mend(lie)
  await loneNode.tend()
  expect(await look(refund)).toEqual(['mined', 'processing'])
  expect(await needing(refund.signer)).toEqual([])
})

test('the only node, without a receipt, cannot prove by an older transaction of the signer that a refund is lost', async () => {
  const refund = await paidOne()
  const oldNonce = await instance.node.call('eth_getTransactionByHash', (await instance.refund(refund.id)).txHash)
  using correct = deskOf(instance.node.url)
  await correct.tend()
  const [next] = await instance.refunds(refund.signer.merchantId, 1)
  if (!next) throw new Error('the refund is missing')
  await signRefund(correct.desk, turns, next.id)
  await instance.finalize()
  const { txHash } = await instance.refund(next.id)
  await using lying = await changedNode(instance.node.url, ({ method, params: [first, isFull] }, answer) => {
    if (method === 'eth_getTransactionReceipt' && first === txHash) return null
    if (method !== 'eth_getBlockByNumber' || isFull !== true || answer === null) return answer
    const block = answer as { transactions: { hash: string }[]; hash: string; number: string }
    const instead = { ...(oldNonce as object), nonce: '0x1', blockHash: block.hash, blockNumber: block.number }
    return { ...block, transactions: block.transactions.map(each => (each.hash === txHash ? instead : each)) }
  })
  using loneNode = deskOf(lying.url)
  await loneNode.tend()
  expect((await instance.refund(next.id)).state).toBe('processing')
  await searchAgain()
  await correct.tend()
  const states = await instance.sql<{ state: string }[]>`select state from signer_nonces where refund_id = ${next.id}`
  expect([...states]).toEqual([{ state: 'mined' }])
})

test('a nonce used by another transaction is closed once two nodes report the same, however long ago', async () => {
  const { id, signer } = await one()
  using loneNode = deskOf(instance.node.url)
  const at = (step: string) => {
    if (step === 'stored') throw new Error('ends before any node has it')
  }
  await signRefund({ ...loneNode.desk, onStep: at }, turns, id)
  await instance.sql`
    update signed_transactions set created_at = now() - interval '60 days' where signer_id = ${signer.id}`
  await instance.sendElsewhere(signer.key, 0)
  await instance.node.mine(40)
  await instance.finalize()
  await using node = await faultyNode(instance.node.url)
  node.break('lies_about_hashes')
  using both = deskOf(node.url, instance.node.url)
  await both.tend()
  expect(await look({ id, signer })).toEqual(['open', 'processing'])
  await searchAgain()
  await loneNode.tend()
  expect(await look({ id, signer })).toEqual(['dropped', 'failed'])
})

test.each([
  ['more', 1],
  ['less', -1],
])(
  'a node that counts %s transactions than exist causes nothing to be dropped, repeated or left out',
  async (_, by) => {
    const { id, signer, destination } = await one()
    await using node = await faultyNode(instance.node.url)
    using loneNode = deskOf(node.url)
    await signRefund(loneNode.desk, turns, id)
    if (by < 0) await instance.finalize()
    node.break('lies_about_nonce', { by })
    await loneNode.tend({ bumpMs: 0 })
    expect(await look({ id, signer })).toEqual(['open', 'processing'])
    node.mend()
    if (by > 0) await instance.finalize()
    await loneNode.tend()
    expect([await look({ id, signer }), await instance.transfersTo(destination)]).toEqual([['mined', 'processing'], 1])
  },
)
