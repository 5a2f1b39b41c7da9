import { expect, test } from 'bun:test'
import { connectChains } from '../../src/chain/enabled/connect.ts'
import { openNamedLocks } from '../../src/signer/named-locks.ts'
import { signRefund } from '../../src/signer/sign.ts'
import { through } from '../chain/watch/node.ts'
import { faultyNode } from '../harness/faulty-node.ts'
import { houseOfFile } from './house.ts'

const house = await houseOfFile()

/** Signs through these nodes, of which none has been asked before. */
const signThrough = async (id: string, ...urls: string[]) => {
  const chains = connectChains(
    house.desk.chains.all.map(({ chain }) => chain),
    () => urls,
    house.api,
  )
  await signRefund({ ...house.desk, chains }, openNamedLocks(), id)
  chains.close()
}

/** A node that has never seen what waits to be mined. */
const forgetful = () =>
  through(house.node.url, async ({ method, params: [address, block] }, answer) =>
    method === 'eth_getTransactionCount' && block === 'pending'
      ? house.node.call('eth_getTransactionCount', address, 'latest')
      : answer,
  )

test('while only the slowest node has a transaction of the key that is not in the database, nothing is signed', async () => {
  const signer = await house.newSigner()
  const [refund] = await house.refunds(signer.merchantId, 1)
  const id = refund?.id ?? ''
  await house.sendElsewhere(signer.key, 0)
  await using quick = await forgetful()
  await using slow = await faultyNode(house.node.url)
  slow.break('slow', { ms: 300 })
  await signThrough(id, quick.url, slow.url)
  expect([(await house.refund(id)).state, await house.waitOf(id)]).toEqual(['requires_signature', 'nonce_ahead'])
})

test.each(['silent', 'garbage', 'fails'] as const)(
  'a refund is signed while another node of the chain is not to be had (%s)',
  async fault => {
    const signer = await house.newSigner()
    const [refund] = await house.refunds(signer.merchantId, 1)
    await using node = await faultyNode(house.node.url)
    node.break(fault, { methods: ['eth_getTransactionCount'] })
    await signThrough(refund?.id ?? '', house.node.url, node.url)
    expect((await house.refund(refund?.id ?? '')).state).toBe('processing')
  },
)
