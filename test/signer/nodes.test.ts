import { expect, test } from 'bun:test'
import { connectChains } from '../../src/chain/connect.ts'
import { tendChain } from '../../src/signer/keep.ts'
import { signRefund } from '../../src/signer/sign.ts'
import { openTurns } from '../../src/signer/turns.ts'
import { faultyNode } from '../harness/faulty-node.ts'
import { houseOfFile } from './house.ts'

const house = await houseOfFile()

const turns = openTurns()

/** A desk that asks these nodes, and has not asked any of them before. */
const deskOf = (...urls: string[]) => {
  const all = house.desk.chains.all.map(({ chain }) => chain)
  const chains = connectChains(all, () => urls, house.api)
  const desk = { ...house.desk, chains }
  const tend = async () => {
    const patience = { resendMs: 0, bumpMs: 3_600_000 }
    for (const connected of chains.all) await tendChain(desk, turns, connected, { untouchedMs: 0, patience })
  }
  return { desk, tend, [Symbol.dispose]: () => chains.close() }
}

const one = async () => {
  const signer = await house.newSigner()
  const [refund] = await house.refunds(signer.merchantId, 1)
  if (!refund) throw new Error('there is no refund')
  return { signer, ...refund }
}
const stateOf = async (signerId: string) =>
  (await house.sql<{ state: string }[]>`select state from signer_nonces where signer_id = ${signerId}`)[0]?.state

test.each(['closes_half_way', 'truncates_json', 'garbage'] as const)(
  'a node whose answer is lost when it is sent a refund (%s) has it, and is asked for it once more',
  async fault => {
    const { id, signer, destination } = await one()
    await using node = await faultyNode(house.node.url)
    node.break(fault, { methods: ['eth_sendRawTransaction'] })
    using first = deskOf(node.url)
    await signRefund(first.desk, turns, id)
    expect((await house.refund(id)).state).toBe('processing')
    expect(await house.sql`select from signer_nonces where signer_id = ${signer.id} and sent_at is null`).toHaveLength(
      1,
    )
    using second = deskOf(house.node.url)
    await second.tend()
    expect(await house.sql`select from signer_nonces where signer_id = ${signer.id} and sent_at is null`).toHaveLength(
      0,
    )
    await house.node.mine()
    expect(await house.transfersTo(destination)).toBe(1)
    await house.finalize()
    await second.tend()
    expect(await stateOf(signer.id)).toBe('mined')
  },
)

test('while one of two nodes says that a refund is in no block, it is not taken for lost', async () => {
  const { id, signer } = await one()
  using honest = deskOf(house.node.url)
  await signRefund(honest.desk, turns, id)
  await house.finalize()
  await using node = await faultyNode(house.node.url)
  node.break('lies_about_receipt', { how: 'missing' })
  using both = deskOf(node.url, house.node.url)
  for (let n = 0; n < 3; n++) await both.tend()
  expect([await stateOf(signer.id), (await house.refund(id)).state]).toEqual(['open', 'processing'])
  node.mend()
  await both.tend()
  expect(await stateOf(signer.id)).toBe('mined')
})
