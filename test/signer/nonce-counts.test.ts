import { expect, test } from 'bun:test'
import { connectChains } from '../../src/chain/enabled/connect.ts'
import { openNamedLocks } from '../../src/signer/named-locks.ts'
import { signRefund } from '../../src/signer/sign.ts'
import { changedNode } from '../chain/watch/test-node.ts'
import { faultyNode } from '../harness/faulty-node.ts'
import { instanceForFile } from './signer-instance.ts'

const instance = await instanceForFile()

/** Signs with these nodes, none of which has been used before. */
const signThrough = async (id: string, ...urls: string[]) => {
  const chains = connectChains(
    instance.desk.chains.all.map(({ chain }) => chain),
    () => urls,
    instance.api,
  )
  await signRefund({ ...instance.desk, chains }, openNamedLocks(), id)
  chains.close()
}

/** A node that never knows pending transactions. */
const withoutPending = () =>
  changedNode(instance.node.url, async ({ method, params: [address, block] }, answer) =>
    method === 'eth_getTransactionCount' && block === 'pending'
      ? instance.node.call('eth_getTransactionCount', address, 'latest')
      : answer,
  )

test('nothing is signed while only the slowest node has a transaction of the key that is not in the database', async () => {
  const signer = await instance.newSigner()
  const [refund] = await instance.refunds(signer.merchantId, 1)
  const id = refund?.id ?? ''
  await instance.sendElsewhere(signer.key, 0)
  await using quick = await withoutPending()
  await using slow = await faultyNode(instance.node.url)
  slow.break('slow', { ms: 300 })
  await signThrough(id, quick.url, slow.url)
  expect([(await instance.refund(id)).state, await instance.waitOf(id)]).toEqual(['requires_signature', 'nonce_ahead'])
})

test.each(['silent', 'garbage', 'fails'] as const)(
  'a refund is signed while another node of the chain is unusable (%s)',
  async fault => {
    const signer = await instance.newSigner()
    const [refund] = await instance.refunds(signer.merchantId, 1)
    await using node = await faultyNode(instance.node.url)
    node.break(fault, { methods: ['eth_getTransactionCount'] })
    await signThrough(refund?.id ?? '', instance.node.url, node.url)
    expect((await instance.refund(refund?.id ?? '')).state).toBe('processing')
  },
)
