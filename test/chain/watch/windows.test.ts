import { afterAll, beforeAll, expect, test } from 'bun:test'
import { endWindows } from '../../../src/chain/watch/windows.ts'
import type { MadePayment } from '../../http/payments.ts'
import { type ChainHouse, CONFIRMATIONS, chainHouse } from './chain-house.ts'
import { type Change, logsAs, through } from './node.ts'

let house: ChainHouse

// Each test leaves its chain an hour ahead of the clock.
beforeAll(async () => {
  house = await chainHouse()
})
afterAll(async () => {
  expect(await house.audit()).toEqual([])
  await house[Symbol.asyncDispose]()
})

const end = (source = house.source) => endWindows(house.api, house.watched.id, { source, aheadMs: 365 * 86_400_000 })

const statesOf = (...payments: readonly MadePayment[]) =>
  Promise.all(payments.map(async each => (await house.stateOf(each))?.state))

/** Opened by the chain's clock. */
const opened = async () => {
  const payment = await house.opened()
  const { timestamp } = await house.chain.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
  const end = new Date((Number(timestamp) + 1_800) * 1_000)
  await house.sql`update payments set expires_at = ${end}, quote_expires_at = null where id = ${payment.actor}`
  return payment
}

/** A node that does not tell of transfers to this address. */
const leavingOut = ({ address }: MadePayment): Change => {
  const words = address.slice(2).toLowerCase()
  return logsAs(logs => logs.filter(log => !JSON.stringify(log).includes(words)))
}

/** A node that is a block behind. */
const lagging: Change = async ({ method, params: [place] }, answer) => {
  const before = (await house.head()) - 1
  if (method === 'eth_blockNumber') return `0x${before.toString(16)}`
  if (method !== 'eth_getBlockByNumber') return answer
  if (place !== 'latest') return Number(place) > before ? null : answer
  return house.chain.rpc('eth_getBlockByNumber', `0x${before.toString(16)}`, false)
}

for (const [what, change] of [
  ['the other', undefined],
  ['another that is a block behind', lagging],
] as const)
  test(`no window ends on what one of two nodes leaves out, and ${what} does not`, async () => {
    const [told, left, unpaid] = [await opened(), await opened(), await opened()]
    await house.chain.pay(told.address, 1000n)
    await house.chain.pay(left.address, 1000n)
    // Both stand in one block, so that its bloom says nothing.
    await house.chain.mine()
    await using other = await through(house.chain.url, change ?? ((_, answer) => answer))
    const look = async (source: typeof house.source) => {
      await house.chain.rpc('evm_increaseTime', 3_600)
      await house.chain.mine(2)
      await house.read(source)
      expect(await statesOf(told, left, unpaid)).toEqual(['processing', 'pending', 'pending'])
      await end(source)
      expect(await statesOf(told, left, unpaid)).toEqual(['processing', 'pending', 'expired'])
    }
    await house.besideAnother(leavingOut(left), look, other.url)
    await house.chain.mine(CONFIRMATIONS)
    await house.read()
    await end()
    expect(await statesOf(told, left, unpaid)).toEqual(['success', 'success', 'expired'])
  })

test('while the second of two nodes is away, windows end by what the first tells', async () => {
  const payment = await opened()
  await house.chain.rpc('evm_increaseTime', 3_600)
  await house.chain.mine()
  const source = house.sourceOf(house.chain.url, 'http://127.0.0.1:9/')
  await house.read(source).catch(() => {})
  await end(source)
  expect(await statesOf(payment)).toEqual(['expired'])
})
