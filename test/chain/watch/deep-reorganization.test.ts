import { expect, test } from 'bun:test'
import { findCursor } from '../../../src/chain/watch/chain-state.ts'
import { watchChains } from '../../../src/chain/watch/watch.ts'
import { forFile } from '../../harness/for-file.ts'
import { until } from '../../harness/until.ts'
import { CONFIRMATIONS, openChainFixture } from './chain-fixture.ts'
import { changedNode } from './test-node.ts'

const fixture = await forFile(openChainFixture(), { rests: false })

/** Block hashes of a chain that is not recorded. */
const elsewhere = (answer: unknown) =>
  JSON.parse(JSON.stringify(answer).replaceAll(/"(hash|parentHash|blockHash)":"0x.{8}/g, '"$1":"0x01234567'))

test('a chain that was reorganized below its final block is not read until its nodes have the final blocks again', async () => {
  const [paid, open] = [await fixture.openPayment(), await fixture.openPayment()]
  await fixture.chain.pay(paid.address, 1000n)
  await fixture.chain.mine(CONFIRMATIONS)
  await fixture.read()
  const before = await findCursor(fixture.sql, fixture.watched.id)
  await fixture.chain.pay(open.address, 1000n)
  await fixture.chain.mine(CONFIRMATIONS)

  let isElsewhere = true
  let asked = 0
  await using node = await changedNode(fixture.chain.url, ({ method }, answer) => {
    if (method === 'eth_getBlockByNumber') asked++
    return isElsewhere && answer ? elsewhere(answer) : answer
  })
  const watch = watchChains(fixture.api, {
    chains: [{ ...fixture.watched, pollMs: 10, source: fixture.sourceOf(node.url) }],
    share: () => ({ position: 0, count: 1 }),
  })
  try {
    await until(() => watch.troubles().get(fixture.watched.id) === 'it was reorganized below its final block')
    const first = asked
    await until(() => asked > first)
    expect(await findCursor(fixture.sql, fixture.watched.id)).toEqual(before && { ...before, stopped: true })
    expect([(await fixture.stateOf(paid))?.state, (await fixture.stateOf(open))?.state]).toEqual(['success', 'pending'])
    isElsewhere = false
    // With and without another new block.
    await until(async () => (await findCursor(fixture.sql, fixture.watched.id))?.stopped === false)
    await until(async () => (await fixture.stateOf(open))?.state === 'success')
    await until(() => watch.troubles().size === 0)
  } finally {
    await watch.stop()
  }
})
