import { expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { settlePayments } from '../../src/chain/watch/settle.ts'
import { kinds } from '../../src/kinds/all.ts'
import { findPayment } from '../../src/queries/payments.ts'
import { insertMerchant } from '../access/keys.ts'
import { issueAddress, openLedger, TOKEN } from '../chain/watch/ledger.ts'
import { apiServer } from '../harness/api.ts'
import { happen, makePayment } from '../http/payments.ts'
import { payments } from '../machines/payment-cases.ts'

/** A payment that succeeded by a final transfer, and one with a transfer seen in the block above. */
const paidInstance = async () => {
  const instance = await apiServer({ routes: [] })
  const merchantId = await insertMerchant(instance.sql)
  const ledger = await openLedger(instance.sql)
  for (const finish of [ledger.finalize, async () => {}]) {
    const payment = await makePayment(instance.api, { merchantId, livemode: false }, '')
    await happen(instance.api, payment.actor, {
      type: 'asset_picked',
      ...payments.events.pick,
      address: payment.address,
    })
    await issueAddress(instance.sql, payment)
    await ledger.block([{ to: payment.address, amount: 1000n }])
    await finish()
    while ((await settlePayments(instance.api)) > 0);
  }
  await ledger.block()
  return instance
}

test.each([
  ['a chain with a missing block', 'delete from chain_blocks where number = 102'],
  ['a transfer that is seen in a block', `update transfers set block_number = 103 where state = 'seen'`],
  ['a deposit address of a payment that does not exist', 'update deposit_addresses set payment_id = gen_random_uuid()'],
  ['a payment whose received sum differs', `update transfers set state = 'orphaned' where state = 'seen'`],
  ['a payment whose received sum differs', `update transfers set amount = 1 where state = 'final'`],
  ['a payment whose final sum differs', `update transfers set state = 'seen' where state = 'final'`],
])('%s … is found', async (what, change) => {
  await using instance = await paidInstance()
  expect(await audit(instance.sql, kinds)).toEqual([])
  await instance.sql.unsafe(change)
  const findings = await audit(instance.sql, kinds)
  expect(findings.some(finding => finding.invariant === 'I4' && finding.what.startsWith(what))).toBe(true)
})

test.each([
  ['its window had ended', 'pick', {}, 40],
  ['its quote had expired', 'pick ether', { quoteExpiresAt: new Date(Date.now() + 60_000) }, 2],
] as const)(
  'money that arrived after %s is no difference while its payment has not ended',
  async (_, event, more, at) => {
    await using instance = await apiServer({ routes: [] })
    const merchantId = await insertMerchant(instance.sql)
    const ledger = await openLedger(instance.sql)
    const payment = await makePayment(instance.api, { merchantId, livemode: false }, '')
    const pick = { ...payments.events[event], address: payment.address, tokenAddress: TOKEN, ...more }
    await happen(instance.api, payment.actor, { type: 'asset_picked', ...pick })
    await issueAddress(instance.sql, payment)
    await ledger.block([{ to: payment.address, amount: 400n }])
    await ledger.block([{ to: payment.address, amount: 600n }], new Date(Date.now() + at * 60_000))
    await ledger.finalize()
    while ((await settlePayments(instance.api)) > 0);
    expect(await findPayment(instance.sql, { id: payment.actor, merchantId, livemode: false })).toMatchObject({
      ...{ state: 'pending', context: { amountReceived: 400n, amountFinal: 400n } },
    })
    expect(await audit(instance.sql, kinds)).toEqual([])
    await instance.sql`update transfers set amount = amount + 1`
    const found = await audit(instance.sql, kinds)
    expect(found.filter(({ invariant }) => invariant === 'I4')).toHaveLength(2)
  },
)
