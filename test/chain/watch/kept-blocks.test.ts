import { expect, test } from 'bun:test'
import { forFile } from '../../harness/for-file.ts'
import { CONFIRMATIONS, openChainFixture } from './chain-fixture.ts'

const fixture = await forFile(openChainFixture(), { rests: false })

const blocks = async () => {
  const [row] = await fixture.sql<{ final: number; head: number; kept: number[] }[]>`
    select final_number::integer as final, number::integer as head,
      array(select number::integer from chain_blocks b where b.chain_id = c.chain_id order by number) as kept
    from chain_cursors c where chain_id = ${fixture.watched.id}`
  if (!row) throw new Error('the chain has a cursor')
  return row
}

test('blocks below the final one are deleted, and those that are kept find the deepest reorg that is possible', async () => {
  const [before, lost, paid] = [await fixture.openPayment(), await fixture.openPayment(), await fixture.openPayment()]
  await fixture.chain.pay(before.address, 1000n)
  await fixture.chain.mine(CONFIRMATIONS)
  const otherChain = fixture.watched.id + 1
  await fixture.sql`
    insert into chain_blocks (chain_id, number, hash, mined_at) values (${otherChain}, 0, ${`0x${'0'.repeat(64)}`}, now())`
  await fixture.read()
  expect((await fixture.stateOf(before))?.state).toBe('success')
  // In blocks that are not final.
  await fixture.chain.pay(lost.address, 1000n)
  await fixture.chain.mine(CONFIRMATIONS - 3)
  await fixture.chain.pay(paid.address, 1000n)
  await fixture.chain.mine()
  await fixture.read()
  expect([(await fixture.stateOf(lost))?.state, (await fixture.stateOf(paid))?.state]).toEqual([
    'processing',
    'processing',
  ])
  const { final, head, kept } = await blocks()
  expect(kept).toEqual(Array.from({ length: head - final + 1 }, (_, n) => final + n))
  expect(kept.length).toBeLessThanOrEqual(CONFIRMATIONS + 1)

  await fixture.chain.reorganize(head - final)
  await fixture.chain.mine()
  await fixture.read()
  const states = async () =>
    Promise.all([before, lost, paid].map(async payment => (await fixture.stateOf(payment))?.state))
  expect(await states()).toEqual(['success', 'pending', 'pending'])
  const after = await blocks()
  expect([after.final, after.kept.at(0)]).toEqual([after.kept.at(0) ?? 0, after.final])
  for (const { address } of [lost, paid]) await fixture.chain.pay(address, 1000n)
  await fixture.chain.mine(CONFIRMATIONS)
  await fixture.read()
  expect(await states()).toEqual(['success', 'success', 'success'])
  const end = await blocks()
  expect(end.kept.at(0)).toBe(end.final)
  expect(await fixture.sql`select from chain_blocks where chain_id = ${otherChain}`).toHaveLength(1)
})
