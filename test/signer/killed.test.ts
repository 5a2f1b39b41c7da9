import { expect, test } from 'bun:test'
import { houseOfFile } from './house.ts'

const house = await houseOfFile()

// The first one: what others leave open would be looked after too.
test('who looks after a signer is killed at every step and one transaction of the refund is mined', async () => {
  const { merchantId, id } = await house.newSigner()
  const [refund] = await house.refunds(merchantId, 1)
  if (!refund) throw new Error('there is no refund')
  expect(await house.run([refund.id])).toBe(0)
  const first = (await house.refund(refund.id)).txHash
  expect(await house.run(['tend', 'impatiently'], 'replaced')).toBe('SIGKILL')
  // The node has the first one only, and the refund knows the second.
  const second = (await house.refund(refund.id)).txHash
  expect(second).not.toBe(first)
  await house.node.mine()
  expect(await house.run(['tend'], 'found')).toBe('SIGKILL')
  expect(await house.run(['tend'], 'told')).toBe('SIGKILL')
  expect((await house.refund(refund.id)).txHash).toBe(first)
  await house.finalize()
  expect(await house.run(['tend'], 'closed')).toBe('SIGKILL')
  expect(await house.run(['tend'])).toBe(0)
  const open = await house.sql`select from signer_nonces where signer_id = ${id} and state = 'open'`
  expect([open.length, await house.transfersTo(refund.destination)]).toEqual([0, 1])
})

test.each(['allocated', 'signed', 'stored', 'broadcast', 'recorded'])(
  'a signer that is killed when the transaction is %s has sent the money once when another has been there',
  async step => {
    const { merchantId } = await house.newSigner()
    const [refund] = await house.refunds(merchantId, 1)
    if (!refund) throw new Error('there is no refund')
    expect(await house.run([refund.id], step)).toBe('SIGKILL')
    const isStored = step !== 'allocated' && step !== 'signed'
    const before = await house.refund(refund.id)
    expect(before.state).toBe(isStored ? 'processing' : 'requires_signature')
    expect(await house.run([refund.id])).toBe(0)
    await house.node.mine(2)
    const { state, txHash } = await house.refund(refund.id)
    expect(state).toBe('processing')
    if (isStored) expect(txHash).toBe(before.txHash)
    expect(await house.node.call('eth_getTransactionReceipt', txHash)).toMatchObject({ status: '0x1' })
    expect([await house.transfersTo(refund.destination), await house.tokensOf(refund.destination)]).toEqual([1, 10n])
  },
)

test('three processes that share a signer send each of fifty refunds once', async () => {
  const { merchantId, id } = await house.newSigner()
  const refunds = await house.refunds(merchantId, 50)
  const ids = refunds.map(each => each.id)
  // Each begins elsewhere, and all have all of them to do.
  const from = (at: number) => [...ids.slice(at), ...ids.slice(0, at)]
  expect(await Promise.all([house.run(from(0)), house.run(from(17)), house.run(from(34))])).toEqual([0, 0, 0])
  const nonces = await house.sql<{ nonce: string }[]>`
    select nonce from signer_nonces where signer_id = ${id} order by nonce`
  expect(nonces.map(({ nonce }) => Number(nonce))).toEqual(ids.map((_, at) => at))
  await house.node.mine(2)
  const seen = await Promise.all(refunds.map(({ destination }) => house.transfersTo(destination)))
  expect(seen).toEqual(ids.map(() => 1))
}, 60_000)
