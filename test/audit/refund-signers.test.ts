import { expect, test } from 'bun:test'
import { openNamedLocks } from '../../src/signer/named-locks.ts'
import { signRefund } from '../../src/signer/sign.ts'
import { readFeeds, recordAudit, runRetention } from '../server/retaining.ts'
import { type SignerInstance, signerInstance } from '../signer/signer-instance.ts'

/** The signer's finding that another transaction has used its nonce. */
const drop = async ({ api, sql, refund }: SignerInstance, id: string, cause: string) => {
  const { txHash } = await refund(id)
  const [of] = await sql<{ payment: string }[]>`select payment_id as payment from refunds where id = ${id}`
  const event = { type: 'transaction_failed', txHash, confirmations: 0, failureReason: 'dropped' }
  const outcome = await api.actors.dispatchBundle([
    { kind: 'refund', actor: id, event, cause },
    { kind: 'payment', actor: of?.payment ?? '', event: { type: 'release_refund', amountMinor: 10 }, cause },
  ])
  expect(outcome.ok).toBe(true)
  await sql`update signer_nonces set state = 'dropped' where refund_id = ${id}`
}

test('the signed transactions have no findings, and each violation is found', async () => {
  await using instance = await signerInstance()
  const { merchantId, address } = await instance.newSigner()
  const turns = openNamedLocks()
  const refunds = await instance.refunds(merchantId, 4)
  for (const { id } of refunds) await signRefund(instance.desk, turns, id)
  const { id: lost = '' } = refunds[3] ?? {}
  await drop(instance, lost, `signer:${address}`)
  expect(await instance.audit()).toEqual([])

  const other = (what: string) =>
    `insert into signer_nonces select signer_id, ${what}, state, sent_at, created_at from signer_nonces where nonce = 2`
  // The last statement repairs it, where another check or violation would see it too.
  const breaches: [string, string, string?][] = [
    [
      'a refund whose result did not come from its chain',
      `update transitions set cause = 'signer:0x${'1'.repeat(40)}' where event = 'transaction_failed'`,
      `update transitions set cause = 'signer:${address}' where event = 'transaction_failed'`,
    ],
    ['a refund that failed as dropped', `update signer_nonces set state = 'mined' where nonce = 3`],
    [
      'a refund that is paid with a nonce',
      `alter table refunds disable trigger user; update signer_nonces set state = 'dropped' where nonce = 3;
       update refunds set state = 'processed', failure_reason = null where id = '${lost}'`,
      `insert into refund_judgements values ('${lost}', 9, 'stray_transfer')`,
    ],
    ['a nonce of a signer without a signed transaction', other('4, null::uuid')],
    ['a signer with a gap', other('6, null::uuid')],
    ['a refund with two open nonces', `drop index signer_nonces_open_once; ${other('5, refund_id')}`],
    ['a signed transaction whose nonce is not recorded', 'delete from signer_nonces where nonce = 0'],
    [
      'a signed transaction that is not in the history',
      `update transitions set context = '{}' where event = 'transaction_sent'`,
    ],
    [
      'a refund that was signed again',
      `update refunds set state = 'processed', tx_hash = '0x${'7'.repeat(64)}'
       where id = (select refund_id from signer_nonces where nonce = 1)`,
    ],
  ]
  for (const [what, tampering, mending] of breaches) {
    const isFound = async () => (await instance.audit()).some(finding => finding.what.startsWith(what))
    expect([what, await isFound()]).toEqual([what, false])
    await instance.sql.unsafe(tampering)
    expect([what, await isFound()]).toEqual([what, true])
    if (!mending) continue
    await instance.sql.unsafe(mending)
    expect([what, await isFound()]).toEqual([what, false])
  }
})

test('the transaction of a refund whose history was dropped is not missed', async () => {
  await using instance = await signerInstance()
  const { api, sql } = instance
  const { merchantId } = await instance.newSigner()
  const [{ id = '' } = {}] = await instance.refunds(merchantId, 1)
  await signRefund(instance.desk, openNamedLocks(), id)
  const { txHash } = await instance.refund(id)
  const [of] = await sql<{ payment: string; chain: string }[]>`
    select payment_id as payment, chain_id::text as chain from refunds where id = ${id}`
  const cause = `chain:${of?.chain}`
  const event = { type: 'transaction_verified', txHash, confirmations: 9 }
  expect(
    await api.actors.dispatchBundle([
      { kind: 'refund', actor: id, event, cause },
      { kind: 'payment', actor: of?.payment ?? '', event: { type: 'refund_processed', amountMinor: 10 }, cause },
    ]),
  ).toMatchObject({ ok: true })
  await sql`update signer_nonces set state = 'mined' where refund_id = ${id}`
  expect(await instance.audit()).toEqual([])
  await readFeeds(instance)
  await recordAudit(instance, 'clean')
  // As in a year.
  await runRetention(instance, { retainDays: { attemptBodies: undefined, deliveries: undefined, history: -1 } })
  expect(await sql`select from transitions where actor = ${id} and event = 'transaction_sent'`).toHaveLength(0)
  expect(await instance.audit()).toEqual([])
})
