import { expect, test } from 'bun:test'
import { forFile } from '../../harness/for-file.ts'
import { happen } from '../../http/payments.ts'
import { payments } from '../../machines/payment-cases.ts'
import { CONFIRMATIONS, chainHouse } from './chain-house.ts'

const on = await forFile(chainHouse())

const strayed = async () => {
  const payment = await on.opened()
  await on.chain.pay(payment.address, 1000n, on.chain.otherToken)
  await on.chain.mine()
  await on.read()
  expect(await on.stateOf(payment)).toMatchObject({ state: 'pending', exception: 'wrong_asset', attention: true })
  return payment
}

test('another token that a reorganisation takes away is forgotten, and what is paid then is paid as it should be', async () => {
  const payment = await strayed()
  await on.chain.reorganize(1)
  await on.chain.mine()
  await on.read()
  expect(await on.stateOf(payment)).toMatchObject({
    ...{ state: 'pending', stray: null, exception: null, attention: false },
  })
  // An asset can be picked again, as if nothing had come.
  const pick = { address: payment.address, tokenAddress: on.chain.token }
  await happen(on.api, payment.actor, { type: 'asset_picked', ...payments.events.pick, ...pick })
  await on.chain.pay(payment.address, 1000n)
  await on.chain.mine(CONFIRMATIONS)
  await on.read()
  expect(await on.stateOf(payment)).toMatchObject({ state: 'success', exception: null, attention: false })
})

test('one that is mined again in another block stays, and is final there', async () => {
  const payment = await strayed()
  await on.chain.reorganize(1, [[on.chain.payment(payment.address, 1000n, on.chain.otherToken), 0]])
  await on.chain.mine(CONFIRMATIONS)
  await on.read()
  expect(await on.stateOf(payment)).toMatchObject({
    ...{ state: 'pending', exception: 'wrong_asset', finalStrays: 1, attention: true },
  })
})

test('one that goes and comes back is told again', async () => {
  const payment = await strayed()
  await on.chain.reorganize(1)
  await on.chain.mine()
  await on.read()
  expect((await on.stateOf(payment))?.stray).toBe(null)
  await on.chain.pay(payment.address, 1000n, on.chain.otherToken)
  await on.chain.mine()
  await on.read()
  expect(await on.stateOf(payment)).toMatchObject({ stray: 'wrong_asset', exception: 'wrong_asset', attention: true })
})

test('of two transfers one that goes takes nothing with it', async () => {
  const payment = await strayed()
  await on.chain.pay(payment.address, 5n, on.chain.otherToken)
  await on.chain.mine()
  await on.read()
  await on.chain.reorganize(1)
  await on.chain.mine()
  await on.read()
  expect(await on.stateOf(payment)).toMatchObject({ stray: 'wrong_asset', exception: 'wrong_asset', attention: true })
})
