import { afterAll, beforeAll, expect, test } from 'bun:test'
import { endWindows } from '../../../src/chain/watch/windows.ts'
import { type ChainHouse, CONFIRMATIONS, chainHouse } from './chain-house.ts'
import { logsAs } from './node.ts'

/** The chain's clock is an hour ahead at the end: this chain is nobody else's. */

let house: ChainHouse

beforeAll(async () => {
  house = await chainHouse()
})
afterAll(async () => {
  expect(await house.audit()).toEqual([])
  await house[Symbol.asyncDispose]()
})

test('no window ends on what one of two nodes leaves out', async () => {
  const [told, left, unpaid] = [await house.opened(), await house.opened(), await house.opened()]
  await house.chain.pay(told.address, 1000n)
  await house.chain.pay(left.address, 1000n)
  await house.chain.mine()
  const statesOf = () => Promise.all([told, left, unpaid].map(async each => (await house.stateOf(each))?.state))
  const isLeft = (log: object) => JSON.stringify(log).includes(left.address.slice(2).toLowerCase())
  // Both stand in one block, so that its bloom says nothing.
  await house.besideAnother(
    logsAs(logs => logs.filter(log => !isLeft(log))),
    async source => {
      await house.chain.rpc('evm_increaseTime', 3_600)
      await house.chain.mine()
      await house.read(source)
      expect(await statesOf()).toEqual(['processing', 'pending', 'pending'])
      await endWindows(house.api, house.watched.id, { source, aheadMs: 86_400_000 })
      expect((await house.stateOf(left))?.state).toBe('pending')
    },
  )
  await house.chain.mine(CONFIRMATIONS)
  await house.read()
  await endWindows(house.api, house.watched.id, { source: house.source, aheadMs: 86_400_000 })
  expect(await statesOf()).toEqual(['success', 'success', 'expired'])
})
