import { expect, test } from 'bun:test'
import { findCursor } from '../../../src/chain/watch/books.ts'
import { watchChains } from '../../../src/chain/watch/watch.ts'
import { forFile } from '../../harness/for-file.ts'
import { until } from '../../harness/until.ts'
import { CONFIRMATIONS, chainHouse } from './chain-house.ts'
import { through } from './node.ts'

const on = await forFile(chainHouse(), { rests: false })

/** The hashes of a chain of which the books know none. */
const elsewhere = (answer: unknown) =>
  JSON.parse(JSON.stringify(answer).replaceAll(/"(hash|parentHash|blockHash)":"0x.{8}/g, '"$1":"0x01234567'))

test('a real chain that has other blocks than the final ones stops as it is, and goes on by nodes that have them', async () => {
  const [paid, open] = [await on.opened(), await on.opened()]
  await on.chain.pay(paid.address, 1000n)
  await on.chain.mine(CONFIRMATIONS)
  await on.read()
  const before = await findCursor(on.sql, on.watched.id)
  await on.chain.pay(open.address, 1000n)
  await on.chain.mine(CONFIRMATIONS)

  let isElsewhere = true
  let asked = 0
  await using node = await through(on.chain.url, ({ method }, answer) => {
    if (method === 'eth_getBlockByNumber') asked++
    return isElsewhere && answer ? elsewhere(answer) : answer
  })
  const watch = watchChains(on.api, {
    chains: [{ ...on.watched, pollMs: 10, source: on.sourceOf(node.url) }],
    share: () => ({ position: 0, count: 1 }),
  })
  try {
    await until(() => watch.troubles().get(on.watched.id) === 'it was reorganised below its final block')
    const first = asked
    await until(() => asked > first)
    expect(await findCursor(on.sql, on.watched.id)).toEqual(before && { ...before, stopped: true })
    expect([(await on.stateOf(paid))?.state, (await on.stateOf(open))?.state]).toEqual(['success', 'pending'])
    isElsewhere = false
    // Whether or not there is another block.
    await until(async () => (await findCursor(on.sql, on.watched.id))?.stopped === false)
    await until(async () => (await on.stateOf(open))?.state === 'success')
    await until(() => watch.troubles().size === 0)
  } finally {
    await watch.stop()
  }
})
