import { expect, test } from 'bun:test'
import { forFile } from '../../harness/for-file.ts'
import { happen } from '../../http/payments.ts'
import { payments } from '../../machines/payment-cases.ts'
import { CONFIRMATIONS, openChainFixture } from './chain-fixture.ts'

const fixture = await forFile(openChainFixture())

const strayed = async () => {
  const payment = await fixture.openPayment()
  await fixture.chain.pay(payment.address, 1000n, fixture.chain.otherToken)
  await fixture.chain.mine()
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'pending', exception: 'wrong_asset', attention: true })
  return payment
}

test('a transfer of another token that a reorg removes no longer counts, and the payment can be paid', async () => {
  const payment = await strayed()
  await fixture.chain.reorganize(1)
  await fixture.chain.mine()
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({
    ...{ state: 'pending', stray: null, exception: null, attention: false },
  })
  // An asset can be picked again, as if nothing had been sent.
  const pick = { address: payment.address, tokenAddress: fixture.chain.token }
  await happen(fixture.api, payment.actor, { type: 'asset_picked', ...payments.events.pick, ...pick })
  await fixture.chain.pay(payment.address, 1000n)
  await fixture.chain.mine(CONFIRMATIONS)
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'success', exception: null, attention: false })
})

test('a transfer of another token that is mined in another block stays and becomes final there', async () => {
  const payment = await strayed()
  await fixture.chain.reorganize(1, [[fixture.chain.payment(payment.address, 1000n, fixture.chain.otherToken), 0]])
  await fixture.chain.mine(CONFIRMATIONS)
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({
    ...{ state: 'pending', exception: 'wrong_asset', finalStrays: 1, attention: true },
  })
})

test('a transfer of another token that is removed and restored is published again', async () => {
  const payment = await strayed()
  await fixture.chain.reorganize(1)
  await fixture.chain.mine()
  await fixture.read()
  expect((await fixture.stateOf(payment))?.stray).toBe(null)
  await fixture.chain.pay(payment.address, 1000n, fixture.chain.otherToken)
  await fixture.chain.mine()
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({
    stray: 'wrong_asset',
    exception: 'wrong_asset',
    attention: true,
  })
})

test('the removal of one of two transfers does not affect the other', async () => {
  const payment = await strayed()
  await fixture.chain.pay(payment.address, 5n, fixture.chain.otherToken)
  await fixture.chain.mine()
  await fixture.read()
  await fixture.chain.reorganize(1)
  await fixture.chain.mine()
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({
    stray: 'wrong_asset',
    exception: 'wrong_asset',
    attention: true,
  })
})
