import { expect, test } from 'bun:test'
import { audit } from '../../../src/audit/audit.ts'
import { settlePayments } from '../../../src/chain/watch/settle.ts'
import { findUnsettled } from '../../../src/chain/watch/unsettled.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { findPayment } from '../../../src/queries/payments.ts'
import { insertMerchant } from '../../access/keys.ts'
import { apiServer } from '../../harness/api.ts'
import { happen, type MadePayment, makePayment } from '../../http/payments.ts'
import { payments } from '../../machines/payment-cases.ts'
import { hashOf, issueAddress, openLedger, SENDER, TOKEN } from './ledger.ts'

const BLOCKS = 10
const IN_BLOCK = 10_000

/** The shortest of several runs. */
const timeOf = async (work: () => Promise<unknown>): Promise<number> => {
  let best = Number.POSITIVE_INFINITY
  for (let n = 0; n < 5; n++) {
    const start = performance.now()
    await work()
    best = Math.min(best, performance.now() - start)
  }
  return best
}

test('a payment with 100,000 transfers handles the next one as quickly as any other', async () => {
  await using server = await apiServer({ routes: [] })
  const { sql, api } = server
  const merchantId = await insertMerchant(sql)
  const ledger = await openLedger(sql)
  const opened = async (): Promise<MadePayment> => {
    const payment = await makePayment(api, { merchantId, livemode: false }, '')
    const pick = { ...payments.events.pick, address: payment.address, amountExpected: 1_000_000n }
    await happen(api, payment.actor, { type: 'asset_picked', ...pick })
    await issueAddress(sql, payment)
    return payment
  }
  const send = (payment: MadePayment, amount: bigint) => ledger.block([{ to: payment.address.toLowerCase(), amount }])
  /** Final transfers of one atomic unit each. */
  const sendDust = async ({ actor, address }: MadePayment) => {
    const { finalNumber } = await ledger.cursor()
    await sql`
      insert into transfers (
        chain_id, tx_hash, log_index, block_number, block_hash, mined_at, payment_id, token_address, from_address,
        to_address, amount, state)
      select 31337, ${hashOf('dust')}, n, ${finalNumber}::bigint - n % ${BLOCKS}::integer, ${hashOf('block')}, now(),
        ${actor}, ${TOKEN}, ${SENDER}, ${address.toLowerCase()}, 1, 'final'
      from generate_series(1, ${BLOCKS * IN_BLOCK}::integer) n`
  }
  const settle = async () => {
    while ((await settlePayments(api)) > 0);
  }
  const stateOf = async ({ actor }: MadePayment) => {
    const found = await findPayment(sql, { id: actor, merchantId, livemode: false })
    return found && { state: found.state, ...found.context }
  }
  const [dusty, usual] = [await opened(), await opened()]
  await sendDust(dusty)
  await send(dusty, 1n)
  await send(usual, 1n)
  await ledger.finalize()
  await settle()
  expect(await stateOf(dusty)).toMatchObject({ amountReceived: 100_001n, amountFinal: 100_001n })

  const touched = async (payment: MadePayment) => {
    await send(payment, 2n)
    const found = await findUnsettled(sql, 10)
    expect(found.map(({ payment: { id } }) => id)).toEqual([payment.actor])
    expect(found[0]?.received.length).toBeLessThanOrEqual(BLOCKS + 2)
    const ms = await timeOf(() => findUnsettled(sql, 10))
    await settle()
    return ms
  }
  const usualMs = await touched(usual)
  expect(await touched(dusty)).toBeLessThan(20 * usualMs)

  await send(dusty, 900_000n)
  await ledger.finalize()
  await settle()
  expect(await stateOf(dusty)).toMatchObject({ state: 'success', amountReceived: 1_000_003n, amountFinal: 1_000_003n })
  expect(await audit(sql, kinds)).toEqual([])
}, 120_000)
