import { expect, test } from 'bun:test'
import { signRefund } from '../../src/signer/sign.ts'
import { openTurns } from '../../src/signer/turns.ts'
import { signerHouse } from '../signer/house.ts'

test('what signers have signed is clean, and each breach is found', async () => {
  await using house = await signerHouse()
  const { merchantId } = await house.newSigner()
  const turns = openTurns()
  for (const { id } of await house.refunds(merchantId, 3)) await signRefund(house.desk, turns, id)
  expect(await house.audit()).toEqual([])

  const other = (what: string) =>
    `insert into signer_nonces select signer_id, ${what}, state, sent_at, created_at from signer_nonces where nonce = 2`
  const breaches: [string, string][] = [
    ['a number of a signer for which nothing', other('3, null::uuid')],
    ['a signer that has left out', other('5, null::uuid')],
    ['a refund of which two numbers', `drop index signer_nonces_open_once; ${other('4, refund_id')}`],
    ['a transaction that was signed for a number', 'delete from signer_nonces where nonce = 0'],
    [
      'a transaction that was signed for a refund',
      `update transitions set context = '{}' where event = 'transaction_sent'`,
    ],
    [
      'a refund that was signed again',
      `alter table refunds disable trigger user; update refunds set state = 'processed', tx_hash = '0x${'7'.repeat(64)}'
       where id = (select refund_id from signer_nonces where nonce = 1)`,
    ],
  ]
  for (const [what, tampering] of breaches) {
    const isFound = async () => (await house.audit()).some(finding => finding.what.startsWith(what))
    expect([what, await isFound()]).toEqual([what, false])
    await house.sql.unsafe(tampering)
    expect([what, await isFound()]).toEqual([what, true])
  }
})
