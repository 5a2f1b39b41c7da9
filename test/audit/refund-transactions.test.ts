import { expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { decodeId } from '../../src/ids.ts'
import { kinds } from '../../src/kinds/all.ts'
import { insertMerchant } from '../access/keys.ts'
import { apiServer } from '../harness/api.ts'
import { customerAddress, makeRefund } from '../http/refunds.ts'

const txHash = (digit: number) => `0x${String(digit).repeat(64)}`

test('refunds waiting for a signature, processing and processed have no findings, and each violation is found', async () => {
  await using server = await apiServer({ routes: [] })
  const whose = { merchantId: await insertMerchant(server.sql), livemode: false }
  const make = async () => decodeId('re', await makeRefund(server.api, whose, customerAddress)) ?? ''
  const happen = async (actor: string, event: { type: string } & Record<string, unknown>) => {
    const [row] = await server.sql<{ payment: string }[]>`select payment_id as payment from refunds where id = ${actor}`
    const of = { kind: 'payment', actor: row?.payment ?? '' }
    const outcome = await server.api.actors.dispatchBundle([
      { kind: 'refund', actor, event, cause: 'chain:31337' },
      ...(event.type === 'transaction_verified'
        ? [{ ...of, event: { type: 'refund_processed', amountMinor: 1000 }, cause: 'chain:31337' }]
        : []),
    ])
    expect(outcome.ok).toBe(true)
  }
  await make()
  await happen(await make(), { type: 'transaction_sent', txHash: txHash(1) })
  const processed = await make()
  await happen(processed, { type: 'transaction_sent', txHash: txHash(2) })
  await happen(processed, { type: 'transaction_verified', txHash: txHash(2), confirmations: 3 })
  expect(await audit(server.sql, kinds)).toEqual([])

  const isJudged = `kind = 'refund' and event = 'transaction_verified'`
  // The last statement repairs it, where there is another violation of the same check.
  const breaches: [string, string, string?][] = [
    [
      'a balance increase',
      `insert into refund_rises (chain_id, address, block_number, refund_id)
       select chain_id, lower(destination), 7, id from refunds where state = 'processing'`,
      'delete from refund_rises',
    ],
    [
      'a balance increase',
      `alter table refunds disable trigger user; update refunds set token_address = null where state = 'processed';
       insert into refund_rises (chain_id, address, block_number, refund_id)
       select chain_id, lower(destination), height, id from refunds, generate_series(8, 9) height where state = 'processed'`,
    ],
    ['a refund that waits', `update refund_destinations set amount = amount + 1 where until is null`],
    [
      'a refund whose transaction is not being checked',
      `insert into refund_looks (refund_id, chain_id, tx_hash)
       select id, chain_id, tx_hash from refunds where state = 'processed'`,
      `delete from refund_looks where refund_id = '${processed}'`,
    ],
    ['a refund whose transaction is not being checked', `delete from refund_looks`],
    ...['null', `'usr_1'`, `'usr'`, `'signer:0x${'1'.repeat(40)}'`, `'chain:1'`].map(
      (cause): [string, string, string] => [
        'a refund whose result did not come from its chain',
        `update transitions set cause = ${cause} where ${isJudged}`,
        `update transitions set cause = 'chain:31337' where ${isJudged}`,
      ],
    ),
    [
      'a refund that was processed twice',
      `update transitions set event = 'transaction_verified' where kind = 'refund' and event = 'transaction_sent'`,
    ],
    [
      'a transaction that pays two refunds',
      `drop index refunds_transaction_once; update refunds set tx_hash = '${txHash(3)}' where tx_hash is not null`,
    ],
  ]
  for (const [what, tampering, mending] of breaches) {
    const isFound = async () => (await audit(server.sql, kinds)).some(finding => finding.what.startsWith(what))
    expect([what, await isFound()]).toEqual([what, false])
    await server.sql.unsafe(tampering)
    expect([what, await isFound()]).toEqual([what, true])
    if (!mending) continue
    await server.sql.unsafe(mending)
    expect([what, await isFound()]).toEqual([what, false])
  }
})
