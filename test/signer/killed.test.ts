import { expect, test } from 'bun:test'
import { instanceForFile } from './signer-instance.ts'

const instance = await instanceForFile()

// This is the first test: transactions left by others would be checked too.
test('when the process that checks a signer is killed at any step, one transaction of the refund is mined', async () => {
  const { merchantId, id } = await instance.newSigner()
  const [refund] = await instance.refunds(merchantId, 1)
  if (!refund) throw new Error('the refund is missing')
  expect(await instance.run([refund.id])).toBe(0)
  const first = (await instance.refund(refund.id)).txHash
  expect(await instance.run(['tend', 'impatiently'], 'replaced')).toBe('SIGKILL')
  // The node has only the first one, and the refund knows the second.
  const second = (await instance.refund(refund.id)).txHash
  expect(second).not.toBe(first)
  await instance.node.mine()
  expect(await instance.run(['tend'], 'found')).toBe('SIGKILL')
  expect(await instance.run(['tend'], 'reported')).toBe('SIGKILL')
  expect((await instance.refund(refund.id)).txHash).toBe(first)
  await instance.finalize()
  expect(await instance.run(['tend'], 'closed')).toBe('SIGKILL')
  expect(await instance.run(['tend'])).toBe(0)
  const open = await instance.sql`select from signer_nonces where signer_id = ${id} and state = 'open'`
  expect([open.length, await instance.transfersTo(refund.destination)]).toEqual([0, 1])
})

test.each(['allocated', 'signed', 'stored', 'broadcast', 'recorded'])(
  'a signer killed when the transaction is %s has paid once after another process has continued',
  async step => {
    const { merchantId } = await instance.newSigner()
    const [refund] = await instance.refunds(merchantId, 1)
    if (!refund) throw new Error('the refund is missing')
    expect(await instance.run([refund.id], step)).toBe('SIGKILL')
    const isStored = step !== 'allocated' && step !== 'signed'
    const before = await instance.refund(refund.id)
    expect(before.state).toBe(isStored ? 'processing' : 'requires_signature')
    expect(await instance.run([refund.id])).toBe(0)
    await instance.node.mine(2)
    const { state, txHash } = await instance.refund(refund.id)
    expect(state).toBe('processing')
    if (isStored) expect(txHash).toBe(before.txHash)
    expect(await instance.node.call('eth_getTransactionReceipt', txHash)).toMatchObject({ status: '0x1' })
    expect([await instance.transfersTo(refund.destination), await instance.tokensOf(refund.destination)]).toEqual([
      1,
      10n,
    ])
  },
)

test('three processes that share a signer send each of fifty refunds once', async () => {
  const { merchantId, id } = await instance.newSigner()
  const refunds = await instance.refunds(merchantId, 50)
  const ids = refunds.map(each => each.id)
  // Each starts at another refund, and all process all of them.
  const from = (at: number) => [...ids.slice(at), ...ids.slice(0, at)]
  expect(await Promise.all([instance.run(from(0)), instance.run(from(17)), instance.run(from(34))])).toEqual([0, 0, 0])
  const nonces = await instance.sql<{ nonce: string }[]>`
    select nonce from signer_nonces where signer_id = ${id} order by nonce`
  expect(nonces.map(({ nonce }) => Number(nonce))).toEqual(ids.map((_, at) => at))
  await instance.node.mine(2)
  const seen = await Promise.all(refunds.map(({ destination }) => instance.transfersTo(destination)))
  expect(seen).toEqual(ids.map(() => 1))
}, 60_000)
