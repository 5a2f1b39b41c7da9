import { expect, test } from 'bun:test'
import { connectChains } from '../../src/chain/enabled/connect.ts'
import { judgeRefund } from '../../src/commands/refund-judgements.ts'
import { retryRefund } from '../../src/commands/refund-transactions.ts'
import { dismissRefund } from '../../src/commands/refunds.ts'
import { openNamedLocks } from '../../src/signer/named-locks.ts'
import { signRefund } from '../../src/signer/sign.ts'
import { checkSignersOfChain } from '../../src/signer/signer-checks.ts'
import { faultyNode } from '../harness/faulty-node.ts'
import { instanceForFile } from './signer-instance.ts'

const instance = await instanceForFile()

/** Signed and never sent; another transaction used its nonce, and the only node has forgotten which. */
const unclear = async () => {
  const signer = await instance.newSigner()
  const [refund] = await instance.refunds(signer.merchantId, 1)
  if (!refund) throw new Error('the refund is missing')
  const at = (step: string) => {
    if (step === 'stored') throw new Error('the process has ended')
  }
  await signRefund({ ...instance.desk, onStep: at }, openNamedLocks(), refund.id).catch(() => {})
  await instance.sendElsewhere(signer.key, 0)
  await instance.node.mine()
  const { number } = await instance.node.head()
  await instance.node.mine(3)
  await instance.finalize()
  await using node = await faultyNode(instance.node.url)
  node.break('forgets_states', { before: number + 1 })
  const chains = connectChains(
    instance.desk.chains.all.map(({ chain }) => chain),
    () => [node.url],
    instance.api,
  )
  for (const each of chains.all)
    await checkSignersOfChain({ ...instance.desk, chains }, openNamedLocks(), each, { untouchedMs: 0 })
  chains.close()
  const numbers = () =>
    instance.sql<{ nonce: number; state: string; isUnclear: boolean }[]>`
      select n.nonce::int, n.state, u.nonce is not null as "isUnclear"
      from signer_nonces n left join unclear_nonces u using (signer_id, nonce)
      where n.signer_id = ${signer.id} order by n.nonce`
  expect([...(await numbers())]).toEqual([{ nonce: 0, state: 'open', isUnclear: true }])
  return { id: refund.id, numbers, name: { id: refund.id, merchantId: signer.merchantId, livemode: undefined } }
}

test('an unexplained nonce is closed once a person has confirmed that the money arrived', async () => {
  const { id, name, numbers } = await unclear()
  await judgeRefund(instance.api, name, { action: 'accept', cause: 'usr_1' })
  expect((await instance.refund(id)).state).toBe('processed')
  expect([...(await numbers())]).toEqual([{ nonce: 0, state: 'mined', isUnclear: false }])
})

test('or that it did not: then the refund is signed again', async () => {
  const { id, name, numbers } = await unclear()
  await judgeRefund(instance.api, name, { action: 'fail', cause: 'usr_1' })
  expect([...(await numbers())]).toEqual([{ nonce: 0, state: 'dropped', isUnclear: false }])
  await dismissRefund(instance.api, name, 'usr_1')
  await retryRefund(instance.api, name, 'usr_1')
  // Since the process has ended.
  await instance.sql`delete from signing_waits where reason = 'fault'`
  await signRefund(instance.desk, openNamedLocks(), id)
  expect((await instance.refund(id)).state).toBe('processing')
  expect(await numbers()).toMatchObject([{ state: 'dropped' }, { nonce: 1, state: 'open' }])
})
